import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest, openClient, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, addTool, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { sendRpc } from "./sdk-support/json-rpc.ts";
import { serveHttp } from "./sdk-support/links.ts";

const ENTRY = SUBSCRIPTION_META_KEY;

describe.each(HOST_KINDS)("on a %s", (kind) => {
  test("work that ends before its call has returned wakes the conversation that subscribed first, once (seed-120, seed-123)", async () => {
    const world = closedAfterTest(await startCoreWorld());
    const run = async (): Promise<object> => {
      const { state } = await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" }, { once: true });
      const { matched } = await world.crawlFinished.emit({ job: "1" }, { status: "at once" });
      return { content: [{ type: "text", text: `${state} ${String(matched)}` }] };
    };
    const server = makeHost(kind, [{ name: "start_crawl", input: z.object({}), run }]);
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    const client = await openClient(kind, server);
    const result = await client.callTool({ name: "start_crawl", arguments: {} });
    expect(result.content[0].text).toBe("subscribed 1");
    const { ticket } = result._meta[ENTRY][0];
    const { wakes } = await world.next([ticket]);
    expect(wakes).toMatchObject([{ payload: { status: "at once" }, once: true }]);
    if (wakes[0] !== undefined) await world.ack(ticket, wakes[0]);
    expect(await world.crawlFinished.emit({ job: "1" }, { status: "too late" })).toMatchObject({ matched: 0 });
  });
});

test.each(["1.x Server", "2.x Server", "attachTools"] as const)(
  "a result that is { error } itself counts as a success on %s: it stays subscribed and carries its ticket (seed-150)",
  async (way) => {
    const world = closedAfterTest(await startCoreWorld());
    const run = async (): Promise<object> => {
      await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
      return { error: "quota" };
    };
    const wrap = { start_crawl: [world.crawlFinished] };
    let result: any;
    if (way === "attachTools") result = await attachTools(world.wake, { wrap }).call({ name: "start_crawl" }, {}, run);
    else {
      const served = await serveHttp(
        way,
        () => {
          const server = makeHost(way, [{ name: "start_crawl", run }]);
          world.wake.attach(server, { wrap });
          return server;
        },
        false,
      );
      onTestFinished(() => served.close());
      const headers = { "mcp-protocol-version": "2025-11-25" };
      ({ result } = await sendRpc(served.url, "tools/call", { name: "start_crawl", arguments: {} }, headers));
    }
    expect(result).toMatchObject({ error: "quota" });
    expect(result._meta[ENTRY]).toHaveLength(1);
    expect(await world.crawlFinished.emit({ job: "1" }, { status: "done" })).toMatchObject({ matched: 1 });
  },
);

test.each(["1.x Server", "2.x Server"] as const)(
  "a handler's refusal leaves an attached %s as it leaves a bare one, so that the author's 401 can only come before it (seed-108)",
  async (kind: HostKind) => {
    const world = await openWakeWorld();
    const answers = [];
    for (const attach of [false, true]) {
      const refuse = async (): Promise<never> => {
        if (attach) await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
        throw Object.assign(new Error("Unauthorized"), { code: -32001, status: 401, headers: { "www-authenticate": "Bearer" } });
      };
      const served = await serveHttp(
        kind,
        () => {
          const server = makeHost(kind, [{ name: "start_crawl", run: refuse }]);
          if (attach) world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
          return server;
        },
        false,
      );
      onTestFinished(() => served.close());
      const headers = { "mcp-protocol-version": "2025-11-25" };
      const { status, headers: answered, error } = await sendRpc(served.url, "tools/call", { name: "start_crawl", arguments: {} }, headers);
      answers.push([status, answered.get("www-authenticate"), error]);
    }
    expect(answers[0]?.[0]).toBe(200);
    expect(answers[1]).toEqual(answers[0]);
  },
);

test.each(["start_crawl", "plain"])(
  "what the dispatch of %s throws comes out of attachTools as the same object, so that its author can answer HTTP 401 (seed-104)",
  async (name) => {
    const world = closedAfterTest(await startCoreWorld());
    const tools = attachTools(world.wake, { wrap: { start_crawl: [world.crawlFinished] } });
    const refusal = Object.assign(new Error("HTTP 401"), { status: 401, headers: { "www-authenticate": "Bearer" } });
    const dispatch = async (): Promise<never> => {
      if (name === "start_crawl") await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
      throw refusal;
    };
    const thrown: unknown = await tools.call({ name, arguments: {} }, {}, dispatch).catch((error: unknown) => error);
    expect(thrown).toBe(refusal);
    expect(await world.crawlFinished.emit({ job: "1" }, { status: "x" })).toMatchObject({ matched: 0 });
  },
);

test("attachTools hands the caller's credential neither to dispatch nor to the core (seed-103)", async () => {
  const made = await openWakeWorld();
  const seen: unknown[] = [];
  const tools = attachTools(made.wake, {
    wrap: { start_crawl: [made.crawlFinished] },
    identify: ({ authInfo }) => ({ user: String(authInfo?.extra?.["sub"]) }),
  });
  const context = {
    headers: { authorization: "Bearer MARK", cookie: "MARK", "x-api-key": "MARK", "user-agent": "opencode/1.0" },
    authInfo: { token: "MARK", clientId: "c", scopes: [], extra: { sub: "ada" } },
    meta: { "vendor/token": "MARK" },
  };
  for (const name of ["start_crawl", "plain", "list_subscriptions"]) {
    await tools.call({ name, arguments: { session_key: "k" } }, context, async (params) => {
      seen.push(params);
      if (name === "start_crawl") await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
      return { content: [] };
    });
  }
  expect(seen).toEqual([
    { name: "start_crawl", arguments: {} },
    { name: "plain", arguments: {} },
  ]);
  expect(made.peer.to("/event-subscriptions")[0]?.body).toMatchObject({ call: { user: "ada", user_agent: "opencode/1.0" } });
  expect(JSON.stringify(made.peer.requests)).not.toContain("MARK");
});

test("an event of a description and zod objects can be wrapped, subscribed to and emitted, by a tool registered through the attachment (seed-1, seed-6, seed-7, seed-8, seed-9)", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const paid = world.wake.defineEvent("order.paid", {
    description: "An order was paid",
    args: z.object({ order: z.number().int() }),
    payload: z.object({ total: z.number().min(0) }),
  });
  const server = makeHost("2.x McpServer", []);
  const attached: any = world.wake.attach(server, { wrap: { foreign: [paid] } });
  const subscribe = async ({ order }: any): Promise<object> => {
    await world.wake.currentCall().subscribe(paid, { order });
    return { content: [] };
  };
  attached.registerTool("watch", { inputSchema: z.object({ order: z.number() }), subscribes: [paid] }, subscribe);
  addTool(server, { name: "foreign", input: z.object({ order: z.number() }), run: subscribe });
  const client = await openClient("2.x McpServer", server);
  const tickets = [];
  for (const name of ["watch", "foreign"]) {
    const result = await client.callTool({ name, arguments: { order: 7 } });
    tickets.push(result._meta[ENTRY][0].ticket);
  }
  expect(await paid.emit({ order: 7 }, { total: 3 })).toMatchObject({ matched: 2 });
  for (const ticket of tickets)
    expect((await world.next([ticket])).wakes).toMatchObject([
      { event: "order.paid", arguments: { order: 7 }, payload: { total: 3 }, text: expect.stringContaining("An order was paid") },
    ]);
  await expect(paid.emit({ order: 7.5 }, { total: 3 })).rejects.toMatchObject({ code: "bad_arguments" });
  await expect(paid.emit({ order: 7 }, { total: -1 })).rejects.toMatchObject({ code: "bad_payload" });
});

test.each([
  ["personal (seed-180)", { personal: true }],
  ["authorize (seed-181)", { authorize: () => true }],
])("wake.defineEvent refuses public together with %s, and the name stays free", async (_what, option) => {
  const { wake } = await openWakeWorld();
  const options = { description: "News.", args: z.object({}), payload: z.object({}), public: true };
  expect(() => wake.defineEvent("news.posted", { ...options, ...option })).toThrow(expect.objectContaining({ code: "bad_openness" }));
  expect(wake.defineEvent("news.posted", options).name).toBe("news.posted");
});

test("call.subscribe refuses a replay of more than 24 hours, and takes one of 24 (seed-126)", async () => {
  const { wake, crawlFinished } = await openWakeWorld();
  const tools = attachTools(wake, { wrap: { start_crawl: [crawlFinished] } });
  const outcomes: unknown[] = [];
  await tools.call({ name: "start_crawl" }, {}, async () => {
    for (const replay of ["24h", 86_400_000, "25h", 86_400_001]) {
      const outcome = await wake
        .currentCall()
        .subscribe(crawlFinished, { job: "1" }, { replay })
        .catch((error: unknown) => error);
      outcomes.push((outcome as any).code ?? (outcome as any).state);
    }
    return { content: [] };
  });
  expect(outcomes).toEqual(["subscribed", "subscribed", "replay_too_long", "replay_too_long"]);
});
