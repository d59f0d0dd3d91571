import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as later } from "node:timers/promises";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { Call, Wakeshift } from "@wakeshift/sdk";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openClient, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind, HostTool } from "./sdk-support/hosts.ts";
import { startWakeWorld } from "./sdk-support/wake-world.ts";

const jobsOf = (result: any): string[] => (result._meta?.[SUBSCRIPTION_META_KEY] ?? []).map((entry: any) => entry.arguments.job);
const codeOf = (error: any): unknown => error.code;

/** How a tool comes to subscribe: its name is written down in `wrap`, or it is registered through the attachment. */
const WAYS = [
  ...HOST_KINDS.map((kind) => ({ kind, way: "wrap" })),
  ...HOST_KINDS.filter((kind) => kind.endsWith("McpServer")).map((kind) => ({ kind, way: "registerTool" })),
] as const;

/** A server with these tools, those in `wrap` subscribing. */
function attached(wake: Wakeshift, { kind, way }: { kind: HostKind; way: string }, tools: readonly HostTool[], wrap: any): any {
  if (way === "wrap") {
    const server = makeHost(kind, tools);
    wake.attach(server, { wrap });
    return server;
  }
  const server = makeHost(
    kind,
    tools.filter(({ name }) => !Object.hasOwn(wrap, name)),
  );
  const through = wake.attach(server);
  for (const { name, input, run } of tools.filter(({ name: each }) => Object.hasOwn(wrap, each)))
    through.registerTool(name, { subscribes: wrap[name], ...(input && { inputSchema: input }) }, (async (args: any, context: any) =>
      run(args, context)) as any);
  return server;
}

describe.each(WAYS)("$kind, by $way", (host) => {
  const { kind } = host;
  test("a tool that calls others of its own server subscribes what it subscribes, and they theirs; one that fails takes nothing of it along", async () => {
    const made = await openWakeWorld();
    const inside: Record<string, any> = {};
    const lost: unknown[] = [];
    const subscribe = (job: string): Promise<unknown> => made.wake.currentCall().subscribe(made.crawlFinished, { job });
    const tools: HostTool[] = [
      {
        name: "outer",
        run: async () => {
          await subscribe("before");
          for (const name of ["inner", "failing", "plain"]) inside[name] = await own.callTool({ name, arguments: {} });
          await subscribe("after");
          return { content: [] };
        },
      },
      { name: "inner", run: async () => (await subscribe("inner"), { content: [] }) },
      { name: "failing", run: async () => (await subscribe("failing"), { content: [], isError: true }) },
      {
        name: "plain",
        run: () => {
          try {
            lost.push(made.wake.currentCall());
          } catch (error) {
            lost.push(codeOf(error));
          }
          return { content: [] };
        },
      },
    ];
    const wrap = { outer: [made.crawlFinished], inner: [made.crawlFinished], failing: [made.crawlFinished] };
    const make = (): any => attached(made.wake, host, tools, wrap);
    const own = await openClient(kind, make());
    const client = await openClient(kind, make());
    expect(jobsOf(await client.callTool({ name: "outer", arguments: {} }))).toEqual(["before", "after"]);
    expect(jobsOf(inside["inner"])).toEqual(["inner"]);
    expect([jobsOf(inside["failing"]), lost]).toEqual([[], ["no_call"]]);
    const subscribes = made.peer.to("/event-subscriptions").map(({ body }) => body);
    const failed = subscribes.find(({ arguments: args }) => args.job === "failing")?.["call"].call_id;
    expect(made.peer.to("/event-subscriptions/rollback").map(({ body }) => body["call_id"])).toEqual([failed]);
    expect(subscribes.map(({ call }) => call.tool)).toEqual(["outer", "inner", "failing", "outer"]);
  });

  test("a call is found in timers, streams, listeners and parallel work of its handler", async () => {
    const made = await openWakeWorld();
    const subscribe = (job: string): Promise<unknown> => made.wake.currentCall().subscribe(made.crawlFinished, { job });
    const tools: HostTool[] = [
      {
        name: "busy",
        run: async () => {
          await new Promise<void>((resolve, reject) => void setTimeout(() => void subscribe("timer").then(() => resolve(), reject), 0));
          const emitter = new EventEmitter();
          const heard = once(emitter, "done");
          emitter.on("go", () => void subscribe("emitter").then(() => emitter.emit("done")));
          setImmediate(() => emitter.emit("go"));
          await heard;
          const write = (job: string, _encoding: unknown, done: (error?: Error) => void): void =>
            void subscribe(job).then(() => done(), done);
          await pipeline(Readable.from(["stream"]), new Writable({ objectMode: true, write }));
          await Promise.all(["all-1", "all-2"].map(subscribe));
          return { content: [] };
        },
      },
    ];
    const server = attached(made.wake, host, tools, { busy: [made.crawlFinished] });
    const result = await (await openClient(kind, server)).callTool({ name: "busy", arguments: {} });
    expect(jobsOf(result)).toEqual(["timer", "emitter", "stream", "all-1", "all-2"]);
  });

  test("what an emitter of another call hears belongs to whom the context says, and what goes on after a call is refused", async () => {
    const made = closedAfterTest(await startCoreWorld());
    const emitter = new EventEmitter();
    const late: unknown[] = [];
    const tools: HostTool[] = [
      {
        name: "listens",
        run: async (_args, context) => {
          await new Promise<void>((resolve, reject) => {
            const listener = (): void =>
              void made.wake
                .currentCall(context)
                .subscribe(made.crawlFinished, { job: "listener's" })
                .then(() => resolve(), reject);
            emitter.once("go", listener);
          });
          return { content: [] };
        },
      },
      {
        name: "emits",
        run: async () => {
          emitter.emit("go");
          await made.wake.currentCall().subscribe(made.crawlFinished, { job: "emitter's" });
          return { content: [] };
        },
      },
      {
        name: "leaves",
        input: z.object({ subscribes: z.boolean() }),
        run: async ({ subscribes }) => {
          const call = made.wake.currentCall();
          if (subscribes) await call.subscribe(made.crawlFinished, { job: "in time" });
          void over
            .then(() => later(0))
            .then(() => made.wake.currentCall().subscribe(made.crawlFinished, { job: "late" }))
            .catch((error: unknown) => late.push(codeOf(error)));
          return { content: [] };
        },
      },
    ];
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const events = [made.crawlFinished];
    const server = attached(made.wake, host, tools, { listens: events, emits: events, leaves: events });
    const client = await openClient(kind, server);
    const listening = client.callTool({ name: "listens", arguments: {} });
    await vi.waitFor(() => expect(emitter.listenerCount("go")).toBe(1), 20_000);
    expect(jobsOf(await client.callTool({ name: "emits", arguments: {} }))).toEqual(["emitter's"]);
    expect(jobsOf(await listening)).toEqual(["listener's"]);
    const left = [await client.callTool({ name: "leaves", arguments: { subscribes: false } })];
    left.push(await client.callTool({ name: "leaves", arguments: { subscribes: true } }));
    expect(left.map(jobsOf)).toEqual([[], ["in time"]]);
    end();
    await vi.waitFor(() => expect(late).toEqual(["no_call", "no_call"]), 20_000);
    expect(await made.crawlFinished.emit({ job: "late" }, { status: "done" })).toMatchObject({ matched: 0 });
    expect(await made.crawlFinished.emit({ job: "in time" }, { status: "done" })).toMatchObject({ matched: 1 });
  });

  test("what is asked of a call only after its handler has returned is refused in true words, and told to the author once", async () => {
    const made = await openWakeWorld();
    const late: any[] = [];
    const calls: Call[] = [];
    const run = (): object => (calls.push(made.wake.currentCall()), { content: [] });
    const server = attached(made.wake, host, [{ name: "late", run }], { late: [made.crawlFinished] });
    const client = await openClient(kind, server);
    for (let round = 0; round < 2; round += 1) {
      expect(jobsOf(await client.callTool({ name: "late", arguments: {} }))).toEqual([]);
      for (const call of calls.splice(0)) {
        await call.subscribe(made.crawlFinished, { job: "late" }).catch((error: unknown) => late.push(error));
        await call.unsubscribe(made.crawlFinished, { job: "late" }).catch((error: unknown) => late.push(error));
      }
    }
    expect(late).toHaveLength(4);
    const refused = { code: "no_call", message: expect.stringMatching(/of late is over: its result .* Subscribe before the handler/) };
    for (const error of late) expect(error).toMatchObject(refused);
    expect(made.peer.to("/event-subscriptions")).toEqual([]);
    const told = { level: "warn", code: "request_failed", tool: "late", error: "no_call" };
    expect(made.log).toEqual([expect.objectContaining(told)]);
  });

  test("work left behind that subscribes again and again doesn't hold the result, and is refused then", async () => {
    const made = closedAfterTest(await startWakeWorld(1_000));
    const ended: unknown[] = [];
    const goOn = async (call: Call): Promise<void> => {
      for (;;) await call.subscribe(made.crawlFinished, { job: "1" });
    };
    const tools: HostTool[] = [
      {
        name: "leaves",
        run: () => {
          void goOn(made.wake.currentCall()).catch((error: unknown) => ended.push(codeOf(error)));
          return { content: [] };
        },
      },
    ];
    const server = attached(made.wake, host, tools, { leaves: [made.crawlFinished] });
    const result = await (await openClient(kind, server)).callTool({ name: "leaves", arguments: {} });
    expect(jobsOf(result)).toEqual(["1"]);
    await vi.waitFor(() => expect(ended).toEqual(["no_call"]), 20_000);
    // The renewal that was under way then is taken back, and nothing else: the subscription stays as the ones before left it.
    const asked = made.peer.to("/event-subscriptions").map(({ body }) => (body["call"] as { readonly call_id: unknown }).call_id);
    const takenBack = made.peer.to("/event-subscriptions/rollback").map(({ body }) => body["call_id"]);
    expect([[], asked.slice(-1)]).toContainEqual(takenBack);
  });
});

describe.each(HOST_KINDS.filter((kind) => kind.endsWith("McpServer")).map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("a handler put in the place of a registered one is part of the call, too, and so is one that answers at once or throws", async () => {
    const made = await openWakeWorld();
    const found: unknown[] = [];
    const note = (where: string): void => void found.push([where, made.wake.currentCall() instanceof Object]);
    const server = makeHost(kind, []);
    const through = made.wake.attach(server);
    const subscribes = [made.crawlFinished];
    const answer = { content: [] };
    const answered: any = through.registerTool("answers", { subscribes }, () => (note("at once"), answer));
    through.registerTool("throws", { subscribes }, () => {
      note("thrown at once");
      throw new Error("broken");
    });
    through.registerTool("rejects", { subscribes }, async () => {
      await later(0);
      note("rejected");
      throw new Error("broken");
    });
    const client = await openClient(kind, server);
    const call = async (name: string): Promise<void> => void (await client.callTool({ name, arguments: {} }));
    for (const name of ["answers", "throws", "rejects", "answers"]) await call(name);
    answered.update({
      callback: async () => {
        note("replaced");
        await later(0);
        note("replaced, later");
        return answer;
      },
    });
    await call("answers");
    const names = ["at once", "thrown at once", "rejected", "at once", "replaced", "replaced, later"];
    expect(found).toEqual(names.map((name) => [name, true]));
    expect(() => made.wake.currentCall()).toThrow(expect.objectContaining({ code: "no_call" }));
  });
});
