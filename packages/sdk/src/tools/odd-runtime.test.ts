/* eslint-disable @typescript-eslint/only-throw-error -- what is thrown is the case */
import { getEventListeners } from "node:events";
import { runInNewContext } from "node:vm";
import { WakeshiftError, SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { Wakeshift } from "../index.ts";
import type { AttachOptions } from "../serve/attach-options.ts";
import { testingCore } from "../testing/index.ts";
import { attachTools } from "./index.ts";
import type { ToolsContext } from "./index.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

/** Every call of `start` subscribes to the job it names. */
function runtime(options: Partial<AttachOptions<ToolsContext>> = {}) {
  const core = testingCore();
  const wake = new Wakeshift({ ...core.options });
  const args = z.object({ job: z.string() });
  const finished = wake.defineEvent("crawl.finished", { description: "A crawl finished", args, payload: z.object({}) });
  const tools = attachTools(wake, { wrap: { start: [finished] }, ...options });
  const call = (result: unknown, params: any = { name: "start", arguments: {} }, context: any = {}): Promise<any> =>
    tools.call(params, context, async () => {
      await wake.currentCall().subscribe(finished, { job: "1" });
      return result;
    });
  return { core, wake, finished, tools, call };
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const THROWS = {
  get name(): string {
    throw new Error("not now");
  },
};

describe("a runtime's list", () => {
  test("is amended whatever stands between the tools that can be read", async () => {
    const { tools } = runtime();
    const frozen = Object.freeze({ name: "start", inputSchema: Object.freeze({ type: "object" }) });
    const odd: unknown[] = [null, undefined, 1, "start", [], {}, { name: null }, THROWS, revoked(), new Proxy(frozen, {}), frozen];
    odd.length += 2;
    const listed: any[] = await tools.list(odd);
    for (let place = 0; place < 9; place += 1) expect(listed[place] === odd[place]).toBe(true);
    for (const place of [9, 10]) expect(listed[place].inputSchema.properties).toHaveProperty("session_key");
    expect(listed.at(-1).name).toBe("list_subscriptions");
  });

  test("of 5,000 tools is amended, and remembered no longer than the last 20,000", { timeout: 60_000 }, async () => {
    const { tools } = runtime();
    for (let page = 0; page < 6; page += 1) {
      const many = Array.from({ length: 5_000 }, (_each, n) => ({
        name: `tool_${String(page)}_${String(n)}`,
        inputSchema: { type: "object" },
      }));
      expect(await tools.list(many)).toHaveLength(5_002);
    }
    const last: any[] = await tools.list([{ name: "start", inputSchema: { type: "object" } }]);
    expect(last[0].inputSchema.properties).toHaveProperty("session_key");
  });
});

describe("a runtime's call", () => {
  test("goes to dispatch as it came, however odd its params", async () => {
    const { tools } = runtime();
    const odd: unknown[] = [
      undefined,
      null,
      "start",
      [],
      {},
      { name: null },
      { name: "start" },
      { name: "start", arguments: null },
      { name: "start", arguments: ["session_key"] },
      { name: "start", arguments: "session_key" },
      { name: "__proto__", arguments: {} },
      { name: "start", arguments: JSON.parse('{"__proto__":{"session_key":"x"},"constructor":1}') },
      { name: "start", arguments: { big: "x".repeat(1_000_000) } },
      { name: "start", _meta: "odd" },
      { name: "start", _meta: [1] },
    ];
    for (const params of odd) {
      const seen: unknown[] = [];
      expect(await tools.call(params, {}, (given) => void seen.push(given))).toBeUndefined();
      expect(seen).toEqual([params]);
      expect(seen[0]).toBe(params);
    }
  });

  test("is answered, and what it is told of a request is read as far as it can be", async () => {
    const { call, core } = runtime();
    const odd = [
      null,
      undefined,
      {},
      { meta: "odd" },
      { meta: null },
      { meta: [1] },
      { headers: null },
      { headers: "odd" },
      { headers: { a: undefined } },
    ];
    for (const context of [...odd, { clientInfo: null }, { clientInfo: 1 }, { signal: null }])
      expect((await call({ content: [] }, undefined, context))._meta).toHaveProperty([SUBSCRIPTION_META_KEY]);
    expect(core.subscriptions()).toHaveLength(odd.length + 3);
    expect(JSON.stringify(core.log)).not.toContain("odd");
  });

  test("that answers with no tool result keeps nothing it subscribed, and its answer is handed on untouched", async () => {
    const { call, core } = runtime();
    const answers = [
      undefined,
      null,
      "text",
      1,
      [],
      [{ type: "text", text: "a" }],
      new ReadableStream(),
      new Response("a"),
      new Map(),
      revoked,
      1n,
    ];
    for (const answer of answers) expect(await call(answer)).toBe(answer);
    expect(core.subscriptions()).toEqual([]);
  });

  test("that answers with an object of a class gets its ticket into what that would travel as", async () => {
    const { call, core } = runtime();
    class Fields {
      readonly content = [{ type: "text", text: "a" }];
    }
    class Written {
      readonly #text = "a";
      toJSON(): object {
        return { content: [{ type: "text", text: this.#text }] };
      }
    }
    const foreign: unknown = runInNewContext('({ content: [{ type: "text", text: "a" }] })');
    for (const answer of [
      new Fields(),
      new Written(),
      foreign,
      Object.assign(Object.create(null), new Fields()),
      Object.freeze({ ...new Fields() }),
    ]) {
      const result = await call(answer);
      expect(result.content).toMatchObject([{ text: "a" }, { type: "text" }]);
      expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    }
    expect(core.subscriptions()).toHaveLength(5);
  });

  test("hands on whatever dispatch throws or rejects with, and keeps nothing it subscribed", async () => {
    const { tools, core, wake, finished } = runtime();
    for (const thrown of [null, undefined, "text", 1, Object.freeze(new Error("a")), revoked(), THROWS]) {
      const params = { name: "start" };
      const rejected = tools.call(params, {}, async () => {
        await wake.currentCall().subscribe(finished, { job: "1" });
        throw thrown;
      });
      expect(
        await rejected.then(
          () => false,
          (error: unknown) => error === thrown,
        ),
      ).toBe(true);
      const threw = tools.call(params, {}, () => {
        void wake.currentCall().subscribe(finished, { job: "1" });
        throw thrown;
      });
      expect(
        await threw.then(
          () => false,
          (error: unknown) => error === thrown,
        ),
      ).toBe(true);
    }
    expect(core.subscriptions()).toEqual([]);
  });

  test("of 200 at once on one connection's signal never finds another's call", async () => {
    const { tools, core, wake, finished } = runtime({ identify: (context) => ({ user: String(context.meta?.["user"]) }) });
    const { signal } = new AbortController();
    const lost: unknown[] = [];
    const gate = new AbortController();
    const detached = new Promise<void>((resolve) => {
      gate.signal.addEventListener("abort", () => {
        resolve();
      });
    }).then(() => {
      // As code that lost the async chain: nothing tells which of the 200 it belongs to.
      try {
        lost.push(wake.currentCall(signal));
      } catch (error) {
        lost.push(WakeshiftError.isInstance(error) && error.code);
      }
    });
    let running = 0;
    const results: any[] = await Promise.all(
      Array.from({ length: 200 }, (_each, n) =>
        tools.call({ name: "start" }, { meta: { user: `u${String(n)}` }, signal }, async () => {
          running += 1;
          if (running === 200) gate.abort();
          await detached;
          expect(wake.currentCall(signal)).toBe(wake.currentCall());
          const job = `j${String(n)}`;
          await Promise.all([wake.currentCall(signal).subscribe(finished, { job }), wake.currentCall().subscribe(finished, { job })]);
          return { content: [{ type: "text", text: job }] };
        }),
      ),
    );
    expect(lost).toEqual(["no_call"]);
    for (const [n, result] of results.entries())
      expect(result).toMatchObject({
        content: [{ text: `j${String(n)}` }, {}],
        _meta: { [SUBSCRIPTION_META_KEY]: [{ arguments: { job: `j${String(n)}` } }] },
      });
    expect(new Set(core.subscriptions().map(({ user, arguments: args }) => `${String(user)} ${String(args["job"])}`)).size).toBe(200);
    for (const { user, arguments: args } of core.subscriptions()) expect(user?.slice(1)).toBe(String(args["job"]).slice(1));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(() => wake.currentCall(signal)).toThrow(expect.objectContaining({ code: "no_call" }));
  });

  test("is over once it is answered, and each of several at once is by its own", async () => {
    const { tools, wake, finished, core } = runtime();
    let kept: any;
    const inner = (params: object): Promise<unknown> =>
      tools.call({ ...params, name: "start" }, {}, async () => {
        kept = wake.currentCall();
        await kept.subscribe(finished, { job: "inner" });
        return { content: [] };
      });
    // A dispatch that asks the same tools again, twice.
    const result: any = await tools.call({ name: "start" }, {}, async (params) => {
      await Promise.all([inner(params), inner(params)]);
      await expect(kept.subscribe(finished, { job: "late" })).rejects.toMatchObject({ code: "no_call" });
      await wake.currentCall().subscribe(finished, { job: "outer" });
      return { content: [] };
    });
    expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: "outer" } }]);
    expect(core.subscriptions().map(({ arguments: args }) => args["job"])).toEqual(["inner", "inner", "outer"]);
  });
});

describe("what an author writes", () => {
  test("an `identify` whose answer can't be read subscribes nothing, and each field is read once", async () => {
    const unreadable = { get user(): string { throw new Error("gone"); } }; // prettier-ignore
    for (const answer of [unreadable, revoked(), Promise.resolve(unreadable)]) {
      const { call, core } = runtime({ identify: () => answer });
      await expect(call({ content: [] })).rejects.toMatchObject({ code: "identify_failed" });
      expect(core.subscriptions()).toEqual([]);
    }
    let asked = 0;
    const changing = { get user(): string { return `user ${String((asked += 1))}`; } }; // prettier-ignore
    const { call, core } = runtime({ identify: () => changing });
    await call({ content: [] });
    expect([asked, core.subscriptions()[0]?.user]).toEqual([1, "user 1"]);
    for (const odd of ["ada", 1, [], true, () => 1]) {
      const anonymous = runtime({ identify: () => odd as never });
      await anonymous.call({ content: [] });
      expect(anonymous.core.subscriptions()).toMatchObject([{ user: undefined }]);
    }
  });

  test("a `wrap` that is no list of events is refused when attaching; a function that answers one leaves its tool as it is", async () => {
    for (const events of [null, undefined, "crawl.finished", {}, [null], ["crawl.finished"], Promise.resolve([])]) {
      const { wake, finished } = runtime();
      expect(() => attachTools(wake, { wrap: { start: events as never } })).toThrow(expect.objectContaining({ code: "bad_request" }));
      expect(() => attachTools(wake, { wrap: { start: finished as never } })).toThrow(expect.objectContaining({ code: "bad_request" }));
      if (events === undefined) continue;
      const { tools, core } = runtime({ wrap: () => events as never });
      expect((await tools.list([{ name: "start" }]))[0]).toEqual({ name: "start" });
      expect(await tools.call({ name: "start" }, {}, () => "as it is")).toBe("as it is");
      expect(core.log).toMatchObject([{ code: "amend_failed", tool: "start" }]);
    }
  });

  test("an `authorize` or `text` that changes what it is handed changes neither what is subscribed nor what goes out", async () => {
    const core = testingCore();
    const wake = new Wakeshift({ ...core.options });
    const red = wake.defineEvent("team.merged", {
      description: "A team merged",
      args: z.object({ team: z.string(), tags: z.array(z.string()) }),
      payload: z.object({ names: z.array(z.string()) }),
      authorize: (_subscriber, args) => {
        args.tags.reverse();
        (args as { team: string }).team = "blue";
        return true;
      },
      text: (payload, args) => `${payload.names.reverse().splice(0, 1).join("")} ${String(args.tags.pop())}`,
    });
    const tools = attachTools(wake);
    const args = { team: "red", tags: ["a", "b"] };
    await tools.call({ name: "subscribe_events", arguments: { event: "team.merged", arguments: args } }, {}, () => undefined);
    expect(core.subscriptions()).toMatchObject([{ arguments: args }]);
    await red.emit(args, { names: ["x", "y"] });
    expect(core.wakes()).toMatchObject([{ arguments: args, payload: { names: ["x", "y"] }, text: "y b" }]);
  });

  test("listeners that throw what can't be looked at end nothing", async () => {
    for (const thrown of [
      revoked(),
      THROWS,
      Object.defineProperty(new Error("a"), "name", Object.getOwnPropertyDescriptor(THROWS, "name") ?? {}),
    ]) {
      const { call, core } = runtime({
        onSubscribe: () => {
          throw thrown;
        },
      });
      await call({ content: [] });
      expect(core.subscriptions()).toHaveLength(1);
      expect(core.log).toMatchObject([{ code: "on_subscribe_failed" }]);
    }
  });
});
