import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { attachTools } from "@wakeshift/sdk/tools";
import type { ToolsContext } from "@wakeshift/sdk/tools";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";

const START = {
  name: "start_crawl",
  description: "Crawl a site",
  inputSchema: { type: "object", properties: { url: { type: "string" } }, required: ["url"], additionalProperties: false },
};
const PLAIN = { name: "plain", description: "Plain", inputSchema: { type: "object", properties: { q: { type: "string" } } } };
const CATALOG = [START, PLAIN];
const ARGUMENTS = { url: "u", session_key: "k1", harness: "codex", conversation_id: "c1" };
const MODERN = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const CODEX_META = { threadId: "01a22915-2156-7b10-b8bd-84fb496a9f83" };

/** One attachment whose `start_crawl` subscribes to the job its dispatch names. */
async function setup() {
  const made = await openWakeWorld();
  const tools = attachTools(made.wake, { wrap: { start_crawl: [made.crawlFinished] } });
  const dispatched: any[] = [];
  const start = async (params: any): Promise<any> => {
    dispatched.push(params);
    await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" }, { once: true });
    return { content: [{ type: "text", text: "started" }], structuredContent: { job: "1" }, _meta: { "author/key": 1 } };
  };
  return { made, tools, dispatched, start };
}

const names = (list: readonly any[]): string[] => list.map((tool) => tool.name);

describe("tools.list", () => {
  test("answers the catalog with the wrapped tools amended and ours at the end, and leaves the rest and the given objects as they are (seed-78, seed-79, seed-81, seed-82)", async () => {
    const { tools } = await setup();
    const before = structuredClone(CATALOG);
    const listed: any[] = await tools.list(Object.freeze(CATALOG), {});
    expect(names(listed)).toEqual(["start_crawl", "plain", "unsubscribe_events", "list_subscriptions"]);
    expect(Object.keys(listed[0].inputSchema.properties)).toEqual(["url", "session_key", "harness", "conversation_id"]);
    expect(listed[0].inputSchema).toMatchObject({ required: ["url"], additionalProperties: false });
    expect(listed[0].description).toMatch(/^Crawl a site\. This tool is how the app notifies you of crawl\.finished[^.]*\.$/);
    expect(listed[1]).toBe(PLAIN);
    expect(CATALOG).toEqual(before);
  });

  test("amends nothing and still lists ours without wrap (seed-79)", async () => {
    const made = await openWakeWorld();
    expect(names(await attachTools(made.wake).list(CATALOG))).toEqual(["start_crawl", "plain", "unsubscribe_events", "list_subscriptions"]);
    expect((await attachTools(made.wake, {}).list(CATALOG))[0]).toBe(START);
  });

  test("serves no wait tool, on any context", async () => {
    const made = await openWakeWorld();
    made.wake.defineEvent("open.event", { description: "Open", args: z.object({}), payload: z.object({}), public: true });
    const tools = attachTools(made.wake);
    for (const context of [{}, { clientInfo: { name: "gemini-cli" } }, { headers: { "user-agent": "codex-mcp-client/1" } }]) {
      expect(names(await tools.list([], context))).toEqual(["subscribe_events", "unsubscribe_events", "list_subscriptions"]);
    }
    const dispatch = vi.fn(() => ({ content: [] }));
    await tools.call({ name: "wait_for_events", arguments: {} }, {}, dispatch);
    expect(dispatch).toHaveBeenCalledOnce();
  });

  test("stands no tool of ours on a page that isn't the last", async () => {
    const { tools, made } = await setup();
    expect(names(await tools.list([PLAIN], {}, { nextCursor: "2" }))).toEqual(["plain"]);
    expect(names(await tools.list([START], {}, { cursor: "2" }))).toEqual(["start_crawl", "unsubscribe_events", "list_subscriptions"]);
    expect(made.log).toEqual([]);
  });

  test("lets the author's tool of one of our names win, and says so", async () => {
    const { tools, made } = await setup();
    const own = { name: "list_subscriptions", inputSchema: { type: "object" } };
    const listed = await tools.list([START, own], {});
    expect(names(listed)).toEqual(["start_crawl", "list_subscriptions", "unsubscribe_events"]);
    const dispatch = vi.fn(() => ({ content: [] }));
    await tools.call({ name: "list_subscriptions", arguments: {} }, {}, dispatch);
    expect(dispatch).toHaveBeenCalledOnce();
    expect(made.log.map((entry) => entry.code)).toEqual(["builtin_name_conflict"]);
  });

  test("leaves a tool unwrapped that has one of our names of its own, which stays in its calls (seed-140, seed-144)", async () => {
    const { tools, made } = await setup();
    const own = { name: "start_crawl", inputSchema: { type: "object", properties: { harness: { type: "string" } } } };
    expect((await tools.list([own], {}))[0]).toBe(own);
    const dispatch = vi.fn((params: any) => ({ content: [], params }));
    await tools.call({ name: "start_crawl", arguments: ARGUMENTS }, {}, dispatch);
    expect(dispatch.mock.calls[0]?.[0]).toEqual({ name: "start_crawl", arguments: { url: "u", harness: "codex" } });
    expect(made.log).toMatchObject([{ level: "error", code: "wrap_arg_conflict", tool: "start_crawl" }]);
  });

  test("refuses what is no list with bad_request", async () => {
    const { tools } = await setup();
    await expect(tools.list(undefined as never, {})).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("tools.call", () => {
  test("answers a built-in tool itself, without dispatch (seed-83)", async () => {
    const { tools } = await setup();
    const dispatch = vi.fn(() => {
      throw new Error("never");
    });
    for (const name of ["list_subscriptions", "unsubscribe_events", "subscribe_events"]) {
      expect(await tools.call({ name, arguments: { session_key: "k" } }, {}, dispatch)).toMatchObject({ content: [{ type: "text" }] });
    }
    expect(dispatch).not.toHaveBeenCalled();
  });

  test("passes every other call on without our arguments and with everything else as it came (seed-84, seed-99)", async () => {
    const { tools, start, dispatched } = await setup();
    const meta = { progressToken: 0, "x/y": 1 };
    const rest = { task: { ttl: 5 }, _meta: meta };
    await tools.call({ name: "start_crawl", arguments: ARGUMENTS, ...rest }, { meta }, start);
    expect(dispatched).toEqual([{ name: "start_crawl", arguments: { url: "u" }, ...rest }]);
    const other = vi.fn((params: object) => ({ content: [], seen: params }));
    await tools.call({ name: "plain", arguments: { q: "x", session_key: "k", harness: "h", conversation_id: "c" } }, {}, other);
    expect(other.mock.calls[0]?.[0]).toEqual({ name: "plain", arguments: { q: "x" } });
    const odd = { name: 5, arguments: "text" };
    await tools.call(odd, {}, other);
    expect(other.mock.calls[1]?.[0]).toBe(odd);
  });

  test("gives a wrapped tool's dispatch the current call, and its result the block in its three places (seed-85, seed-86, seed-100, seed-101)", async () => {
    const { tools, start, made } = await setup();
    await tools.list(CATALOG, {});
    const result: any = await tools.call({ name: "start_crawl", arguments: ARGUMENTS }, {}, start);
    expect(result.content.map((part: any) => part.text)).toEqual(["started", expect.stringContaining("session_key: k1")]);
    expect(result.structuredContent).toMatchObject({ job: "1", wakeshift: { state: "subscribed" } });
    expect(result._meta).toMatchObject({ "author/key": 1, [SUBSCRIPTION_META_KEY]: [{ arguments: { job: "1" }, tool: "start_crawl" }] });
    expect(result).not.toHaveProperty("resultType");
    expect(made.peer.to("/event-subscriptions")[0]?.body).toMatchObject({
      via: "tool",
      once: true,
      call: { session: "k1", harness: "codex" },
    });
    await tools.call({ name: "plain", arguments: {} }, {}, () => {
      expect(() => made.wake.currentCall()).toThrow(expect.objectContaining({ code: "no_call" }));
      return { content: [] };
    });
  });

  test("refuses an event the tool doesn't name in wrap, when it runs (seed-28)", async () => {
    const { tools, made } = await setup();
    const other = made.wake.defineEvent("crawl.failed", { description: "F", args: z.object({}), payload: z.object({}) });
    await expect(
      tools.call({ name: "start_crawl", arguments: {} }, {}, () => made.wake.currentCall().subscribe(other, {})),
    ).rejects.toMatchObject({ code: "undeclared_event" });
  });

  test.each([
    ["a JSON-RPC error", () => Object.assign(new Error("no"), { code: -32050, data: { why: 1 } })],
    ["a 401 for the HTTP layer", () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } })],
    ["a frozen object", () => Object.freeze({ status: 401 })],
    ["text", () => "refused"],
    ["nothing", () => undefined],
  ])("throws %s on as the very same thing, once what the call subscribed is ended (seed-91, seed-92, seed-146)", async (_what, make) => {
    const real = closedAfterTest(await startCoreWorld());
    const tools = attachTools(real.wake, { wrap: { start_crawl: [real.crawlFinished] } });
    const thrown: unknown = make();
    const outcome = await tools
      .call({ name: "start_crawl", arguments: {} }, {}, async () => {
        await real.wake.currentCall().subscribe(real.crawlFinished, { job: "1" });
        expect(await real.crawlFinished.emit({ job: "1" }, { status: "x" })).toMatchObject({ matched: 1 });
        throw thrown;
      })
      .then(
        () => ({}),
        (error: unknown) => ({ error }),
      );
    expect(outcome).toHaveProperty("error");
    expect((outcome as { error: unknown }).error).toBe(thrown);
    expect(await real.crawlFinished.emit({ job: "1" }, { status: "x" })).toMatchObject({ matched: 0 });
    for (const name of ["plain", "start_crawl"]) {
      const now = tools.call({ name }, {}, () => {
        throw thrown;
      });
      expect(await now.catch((error: unknown) => [error])).toEqual([thrown]);
    }
  });

  test.each([
    ["isError", { content: [], isError: true }],
    ["a question back to the client", { resultType: "input_required", inputRequests: {} }],
    ["no result at all", undefined],
    ["data its listed schema refuses", { content: [], structuredContent: { job: 5 } }],
  ])("ends what a call subscribed that answers %s (seed-122, seed-147, seed-148)", async (_what, result) => {
    const { tools, made } = await setup();
    const strict = { ...START, outputSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"] } };
    await tools.list([strict], {});
    const answer = await tools.call({ name: "start_crawl", arguments: {} }, { meta: MODERN }, async () => {
      await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
      return result;
    });
    if (result === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatchObject(result);
    expect(JSON.stringify(answer) ?? "").not.toContain("ai.wakeshift");
    expect(made.peer.to("/event-subscriptions/rollback")).toHaveLength(1);
  });

  test("ends what a call subscribed whose signal the runtime aborts, and finds the call by that signal (seed-149)", async () => {
    const { tools, made } = await setup();
    const canceled = new AbortController();
    await tools.call({ name: "start_crawl", arguments: {} }, { signal: canceled.signal }, async () => {
      await made.wake.currentCall(canceled.signal).subscribe(made.crawlFinished, { job: "1" });
      canceled.abort();
      return { content: [] };
    });
    expect(made.peer.to("/event-subscriptions/rollback")).toHaveLength(1);
  });

  test("keeps calls that run at once apart", async () => {
    const { tools, made } = await setup();
    const results: any[] = await Promise.all(
      Array.from({ length: 20 }, (_each, job) =>
        tools.call({ name: "start_crawl", arguments: { session_key: `k${String(job)}` } }, {}, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          await made.wake.currentCall().subscribe(made.crawlFinished, { job: String(job) });
          return { content: [{ type: "text", text: String(job) }] };
        }),
      ),
    );
    for (const [job, result] of results.entries()) {
      expect(result.content[0].text).toBe(String(job));
      expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: String(job) } }]);
      expect(result.content[1].text).toContain(`session_key: k${String(job)}`);
    }
  });
});

describe("protocol 2026-07-28", () => {
  const ways: readonly (readonly [string, ToolsContext, object])[] = [
    ["the context's meta", { meta: MODERN }, {}],
    ["the headers", { headers: { "MCP-Protocol-Version": "2026-07-28" } }, {}],
    ["web headers", { headers: new Headers({ "mcp-protocol-version": "2026-07-28" }) }, {}],
    ["the params' own _meta", {}, { _meta: MODERN }],
  ];
  test.each(ways)("completes a result without a type, told by %s (seed-93, seed-94)", async (_way, context, extra) => {
    const { tools, start } = await setup();
    expect(await tools.call({ name: "list_subscriptions", ...extra }, context, start)).toMatchObject({ resultType: "complete" });
    expect(await tools.call({ name: "start_crawl", ...extra }, context, start)).toMatchObject({
      resultType: "complete",
      _meta: { [SUBSCRIPTION_META_KEY]: [{}] },
    });
    const frozen = Object.freeze({ content: [] });
    expect(await tools.call({ name: "plain", ...extra }, context, () => frozen)).toEqual({ content: [], resultType: "complete" });
    expect(await tools.call({ name: "plain", ...extra }, context, () => ({ content: [], isError: true }))).toEqual({
      content: [],
      isError: true,
      resultType: "complete",
    });
    const typed = { resultType: "input_required", inputRequests: {} };
    expect(await tools.call({ name: "plain", ...extra }, context, () => typed)).toBe(typed);
  });

  test.each([
    {},
    { meta: { "io.modelcontextprotocol/protocolVersion": "2025-11-25" } },
    { headers: { "mcp-protocol-version": "2025-06-18" } },
  ])("adds no type on an earlier protocol: %j (seed-93)", async (context) => {
    const { tools } = await setup();
    const result = { content: [] };
    expect(await tools.call({ name: "plain" }, context, () => result)).toBe(result);
    expect(await tools.call({ name: "list_subscriptions" }, context, () => result)).not.toHaveProperty("resultType");
  });
});

describe("the context", () => {
  async function factsOf(context: ToolsContext | undefined, identify?: (given: ToolsContext) => any) {
    const made = await openWakeWorld();
    const tools = attachTools(made.wake, { wrap: { go: [made.crawlFinished] }, ...(identify === undefined ? {} : { identify }) });
    await tools.call({ name: "go", arguments: {} }, context, () => made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" }));
    return made.peer.to("/event-subscriptions")[0]?.body["call"];
  }

  test("may be left out, and each of its fields too (seed-87, seed-88, seed-89, seed-90)", async () => {
    for (const context of [undefined, {}, { meta: undefined, headers: undefined, clientInfo: undefined, authInfo: undefined }]) {
      expect(await factsOf(context)).toEqual({ client: "", tool: "go", call_id: expect.any(String) });
    }
  });

  test("tells the core by meta which program calls, and nothing else of it (seed-87)", async () => {
    expect(await factsOf({ meta: { ...CODEX_META, "author/secret": "s", progressToken: 0 } })).toMatchObject({ meta: CODEX_META });
  });

  test("tells it by the User-Agent, whatever the case of the name (seed-88)", async () => {
    for (const headers of [
      { "User-Agent": "claude-code/2.1.0" },
      { "user-agent": ["claude-code/2.1.0"] },
      new Headers({ "user-agent": "claude-code/2.1.0" }),
    ]) {
      expect(await factsOf({ headers })).toMatchObject({ user_agent: "claude-code/2.1.0" });
    }
  });

  test("names the client by clientInfo (seed-89)", async () => {
    expect(await factsOf({ clientInfo: { name: "my-agent" } })).toMatchObject({ client: "my-agent" });
  });

  test("goes to identify as it was given, with the token nobody checked again (seed-80, seed-90)", async () => {
    const context = { authInfo: { token: "t", clientId: "c", scopes: [] }, headers: { "x-own": "1" } };
    const seen: unknown[] = [];
    const facts = await factsOf(context, (given) => {
      seen.push(given);
      return { user: `user of ${String(given.authInfo?.token)}` };
    });
    expect(seen).toEqual([context]);
    expect(seen[0]).toBe(context);
    expect(facts).toMatchObject({ user: "user of t" });
    expect(JSON.stringify(facts)).not.toContain("x-own");
  });

  test("without a user, requireUser refuses the subscribe and nothing else", async () => {
    const made = await openWakeWorld();
    const tools = attachTools(made.wake, { wrap: { go: [made.crawlFinished] }, identify: () => undefined, requireUser: true });
    await expect(
      tools.call({ name: "go" }, {}, () => made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" })),
    ).rejects.toMatchObject({ code: "user_required" });
    expect(await tools.call({ name: "plain" }, {}, () => ({ content: [] }))).toEqual({ content: [] });
  });

  test.each([
    ["ChatGPT", { clientInfo: { name: "openai-mcp" } }],
    [
      "a client that declares MCP Events",
      { meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/events": {} } } } },
    ],
  ])("of %s, which only subscribes natively, gets it nothing here", async (_who, context: ToolsContext) => {
    const made = await openWakeWorld();
    const tools = attachTools(made.wake, { wrap: { go: [made.crawlFinished] } });
    const states: unknown[] = [];
    const result = await tools.call({ name: "go" }, context, async () => {
      states.push(await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" }));
      return { content: [] };
    });
    expect(states).toEqual([{ state: "unavailable", reason: "host_unsupported" }]);
    expect(result).toEqual({ content: [] });
    expect(made.peer.to("/event-subscriptions")).toEqual([]);
  });
});

test("one conversation subscribes, is woken, lists and ends its subscription, all on this path (seed-117)", async () => {
  const real = closedAfterTest(await startCoreWorld());
  const tools = attachTools(real.wake, { wrap: { start_crawl: [real.crawlFinished] } });
  const context = { meta: CODEX_META, headers: { "user-agent": "codex-mcp-client/0.171.0" } };
  const call = (name: string, args: object): Promise<any> =>
    tools.call({ name, arguments: args }, context, async () => {
      await real.wake.currentCall().subscribe(real.crawlFinished, { job: "1" });
      return { content: [] };
    });
  const result = await call("start_crawl", {});
  const [entry] = result._meta[SUBSCRIPTION_META_KEY];
  const session = /wsk_\w{32}/.exec(result.content[0].text)?.[0];
  await real.crawlFinished.emit({ job: "1" }, { status: "done" });
  expect((await real.next([entry.ticket])).wakes).toMatchObject([{ payload: { status: "done" } }]);
  expect((await call("list_subscriptions", { session_key: session })).content[0].text).toContain(entry.id);
  expect((await call("unsubscribe_events", { session_key: session, id: entry.id })).content[0].text).toBe("Ended 1 subscription.");
  expect(await real.crawlFinished.emit({ job: "1" }, { status: "gone" })).toMatchObject({ matched: 0 });
});

test("with the core away, lists and other calls go on, and a subscribe throws what its dispatch may catch (seed-129)", async () => {
  const made = await openWakeWorld();
  await made.peer.close();
  const tools = attachTools(made.wake, { wrap: { start_crawl: [made.crawlFinished] } });
  expect(await tools.list(CATALOG, {})).toHaveLength(4);
  expect(await tools.call({ name: "plain", arguments: { session_key: "k" } }, {}, () => ({ content: [] }))).toEqual({ content: [] });
  const subscribe = (): Promise<unknown> => made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
  const bought = await tools.call({ name: "start_crawl" }, {}, async () => {
    const failed = await subscribe().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "unreachable" });
    return { content: [{ type: "text", text: "bought" }] };
  });
  expect(bought).toEqual({ content: [{ type: "text", text: "bought" }] });
  await expect(tools.call({ name: "start_crawl" }, {}, subscribe)).rejects.toMatchObject({ code: "unreachable" });
  const answered = await tools.call({ name: "list_subscriptions", arguments: { session_key: "k" } }, { meta: MODERN }, subscribe);
  expect(answered).toMatchObject({ isError: true, resultType: "complete" });
});

test("attachTools takes nothing but a Wakeshift", () => {
  expect(() => attachTools({} as never)).toThrow(expect.objectContaining({ code: "bad_request" }));
});
