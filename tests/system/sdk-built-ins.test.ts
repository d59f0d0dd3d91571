import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { SubscribedNotice, UnsubscribedNotice } from "@wakeshift/sdk";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { inMemory, serveHandler } from "./sdk-support/links.ts";

const ok = { content: [{ type: "text", text: "ok" }] };

async function setup(kind: HostKind, options: object = {}) {
  const world = closedAfterTest(await startCoreWorld());
  const args = z.object({ repo: z.string(), branch: z.string().optional() });
  const payload = z.object({ conclusion: z.string() });
  const asked: unknown[] = [];
  const decide: { answer: (subscriber: any, args: any) => any } = { answer: (_subscriber, { repo }) => repo === "mine" };
  const open = world.wake.defineEvent("news.posted", { description: "News were posted.", args, payload, public: true });
  const gated = world.wake.defineEvent("ci.finished", {
    description: "CI finished",
    args,
    payload,
    authorize: (subscriber, given) => {
      asked.push([subscriber, given]);
      return decide.answer(subscriber, given);
    },
  });
  const personal = world.wake.defineEvent("game.turn", { description: "It's your move.", args, payload, personal: true });
  const server = makeHost(kind, [
    {
      name: "watch",
      input: z.object({ event: z.string() }),
      run: async ({ event }) => {
        const chosen = [open, gated, personal, world.crawlFinished].find((each) => each.name === event);
        const call: any = world.wake.currentCall();
        const state = await call.subscribe(chosen, event === "crawl.finished" ? { job: "1" } : { repo: "theirs" });
        return { content: [{ type: "text", text: JSON.stringify({ state: state.state, reason: state.reason }) }] };
      },
    },
  ]);
  const notices: SubscribedNotice[] = [];
  const ended: UnsubscribedNotice[] = [];
  world.wake.attach(server, {
    identify: () => undefined,
    wrap: { watch: [open, gated, personal, world.crawlFinished] },
    onSubscribe: (notice: SubscribedNotice) => notices.push(notice),
    onUnsubscribe: (notice: UnsubscribedNotice) => ended.push(notice),
    ...options,
  });
  const link = closedAfterTest(await inMemory(kind, () => server, kind.startsWith("1.x") ? 1 : 2));
  const call = (name: string, given: object = {}): Promise<any> => link.client.callTool({ name, arguments: given });
  return { world, client: link.client, call, open, gated, personal, asked, decide, notices, ended };
}

const sessionIn = (result: any): string => /wsk_\w{32}/.exec(result.content.at(-1).text)?.[0] ?? "";

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("subscribes by subscribe_events, lists it, is woken, and ends it (seed-206)", async () => {
    const { world, client, call, open, notices, ended } = await setup(kind);
    const tool = (await client.listTools()).tools.find((each: any) => each.name === "subscribe_events");
    expect(tool.inputSchema).toMatchObject({
      required: ["event"],
      properties: { event: { enum: ["news.posted", "ci.finished", "game.turn"] } },
    });
    expect(tool.description).toMatch(/\n- ci\.finished: CI finished\. Arguments: \{"repo".*\} May be left out: branch\.\n/);
    const subscribed = await call("subscribe_events", { event: "news.posted", arguments: { repo: "r" }, harness: "codex" });
    const [entry] = subscribed._meta[SUBSCRIPTION_META_KEY];
    expect(entry).toMatchObject({ event: "news.posted", arguments: { repo: "r" }, tool: "subscribe_events" });
    // It lists no output schema, so nothing but text and `_meta` may come.
    expect(Object.keys(subscribed).sort()).toEqual(["_meta", "content"]);
    expect(subscribed.content).toHaveLength(1);
    expect(notices).toMatchObject([
      { event: "news.posted", id: entry.id, args: { repo: "r" }, via: "subscribe_events", tool: "subscribe_events", native: false },
    ]);
    const session = sessionIn(subscribed);
    expect((await call("list_subscriptions", { session_key: session })).content[0].text).toContain(entry.id);
    await open.emit({ repo: "r" }, { conclusion: "ok" });
    expect((await world.next([entry.ticket])).wakes).toMatchObject([{ payload: { conclusion: "ok" } }]);
    expect(
      (await call("unsubscribe_events", { session_key: session, event: "news.posted", arguments: { repo: "other" } })).content[0].text,
    ).toBe("This conversation has no such subscription.");
    expect((await call("unsubscribe_events", { session_key: session, id: entry.id })).content[0].text).toBe("Ended 1 subscription.");
    expect(ended).toMatchObject([{ id: entry.id, tool: "unsubscribe_events" }]);
    expect((await call("list_subscriptions", { session_key: session })).content[0].text).toBe(
      "This conversation is subscribed to nothing in this app.",
    );
  });

  test("offers no tools-only event, and refuses one that is named anyway (seed-177, seed-178)", async () => {
    const { call, world } = await setup(kind);
    const refused = await call("subscribe_events", { event: "crawl.finished", arguments: { job: "1" } });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Open are: news.posted, ci.finished, game.turn.") }],
    });
    expect(await world.crawlFinished.emit({ job: "1" }, { status: "x" })).toMatchObject({ matched: 0 });
  });
});

const one = "2.x McpServer" as const;

test("lists no subscribe_events where no event is open", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const server = makeHost(one, [{ name: "a", run: () => ok }]);
  world.wake.attach(server);
  const link = closedAfterTest(await inMemory(one, () => server, 2));
  expect((await link.client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["a", "unsubscribe_events", "list_subscriptions"]);
  expect(await link.client.callTool({ name: "subscribe_events", arguments: { event: "crawl.finished" } })).toMatchObject({ isError: true });
});

test("authorize decides each subscribe_events, and never the author's own tools (seed-183, seed-191, seed-202, seed-204)", async () => {
  const { call, asked, decide } = await setup(one, { identify: async () => ({ user: "u1" }) });
  decide.answer = async (_subscriber, { repo }) => repo === "mine";
  expect(await call("subscribe_events", { event: "ci.finished", arguments: { repo: "theirs" } })).toMatchObject({ isError: true });
  expect((await call("subscribe_events", { event: "ci.finished", arguments: { repo: "mine" } }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(
    1,
  );
  expect(asked).toMatchObject([
    [{ user: "u1", client: "test-client", native: false }, { repo: "theirs" }],
    [{ user: "u1", client: "test-client", native: false }, { repo: "mine" }],
  ]);
  expect((await call("watch", { event: "ci.finished" }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

test("an authorize that throws refuses, and is logged by the error's type alone (seed-198, seed-201)", async () => {
  const { call, decide, world } = await setup(one);
  decide.answer = () => {
    throw new TypeError("database password is hunter2");
  };
  expect(await call("subscribe_events", { event: "ci.finished", arguments: { repo: "mine" } })).toMatchObject({ isError: true });
  expect(world.log).toMatchObject([{ level: "warn", code: "authorize_failed", event: "ci.finished", error: "TypeError" }]);
  expect(JSON.stringify(world.log)).not.toContain("hunter2");
});

test("an authorize that answers something truthy but not true refuses", async () => {
  const { call, decide } = await setup(one);
  decide.answer = () => "yes";
  expect(await call("subscribe_events", { event: "ci.finished", arguments: { repo: "mine" } })).toMatchObject({ isError: true });
});

test("a personal event needs a signed-in user, from a tool and from subscribe_events (seed-208, seed-209, seed-213)", async () => {
  const { call } = await setup(one);
  const refused = await call("watch", { event: "game.turn" });
  expect(refused).toMatchObject({ content: [{ text: '{"state":"unavailable","reason":"no_user"}' }] });
  expect(refused._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
  expect(await call("subscribe_events", { event: "game.turn", arguments: { repo: "r" } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("Sign in") }],
  });
});

test("a personal emit reaches the users it names and nobody else (seed-210, seed-211, seed-212)", async () => {
  let user = "ann";
  const { call, personal, world } = await setup(one, { identify: () => ({ user }) });
  const ticketOf = async (): Promise<string> => (await call("watch", { event: "game.turn" }))._meta[SUBSCRIPTION_META_KEY][0].ticket;
  const ann = await ticketOf();
  user = "ben";
  const ben = await ticketOf();
  expect(await personal.emit({ repo: "theirs" }, { conclusion: "for ann" }, { to: "ann" })).toMatchObject({ matched: 1 });
  expect(await personal.emit({ repo: "theirs" }, { conclusion: "for both" }, { to: ["ann", "ben"] })).toMatchObject({ matched: 2 });
  const taken = async (ticket: string): Promise<unknown[]> =>
    (await world.next([ticket])).wakes.map((wake: any) => wake.payload.conclusion);
  expect(await taken(ann)).toEqual(["for ann", "for both"]);
  expect(await taken(ben)).toEqual(["for both"]);
});

test.each([["none"], [""], [5], [{}]])("an identify that gives %j as user gives nobody", async (user) => {
  const { call } = await setup(one, { identify: () => (user === "none" ? null : { user }) });
  expect((await call("watch", { event: "game.turn" })).content[0].text).toContain("no_user");
});

test("an identify that throws subscribes nothing (seed-173)", async () => {
  const { call, world } = await setup(one, {
    identify: () => {
      throw new Error("token service down");
    },
  });
  expect(await call("watch", { event: "news.posted" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("identify threw") }],
  });
  expect(await call("subscribe_events", { event: "news.posted", arguments: { repo: "theirs" } })).toMatchObject({ isError: true });
  const [app] = await world.core.store.listApps();
  expect(await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now())).toEqual([]);
});

test("requireUser refuses subscribing to anonymous callers, and touches nothing else (seed-176)", async () => {
  const { call, client } = await setup(one, { requireUser: true });
  expect(await call("watch", { event: "news.posted" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("signed in") }],
  });
  expect(await call("subscribe_events", { event: "news.posted", arguments: { repo: "r" } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("signed in") }],
  });
  expect((await client.listTools()).tools).toHaveLength(4);
});

test("a listener that throws is logged and changes nothing", async () => {
  const { call, world } = await setup(one, {
    onSubscribe: async () => {
      throw new RangeError("x");
    },
  });
  expect((await call("watch", { event: "news.posted" }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
  await vi.waitFor(() => expect(world.log).toMatchObject([{ level: "warn", code: "on_subscribe_failed" }]), { timeout: 45_000 });
});

test("says what is missing or wrong as a result the agent can read", async () => {
  const { call } = await setup(one);
  for (const [name, args, text] of [
    ["list_subscriptions", {}, "Pass session_key"],
    ["unsubscribe_events", { session_key: "k" }, "Say which subscription"],
    ["unsubscribe_events", { session_key: "k", event: "news.posted", arguments: [] }, "must be an object"],
    ["subscribe_events", {}, "Open are"],
    ["subscribe_events", { event: "news.posted", arguments: { repo: 5 } }, "repo"],
    ["subscribe_events", { event: "news.posted", arguments: "x" }, "news.posted"],
  ] as const) {
    expect(await call(name, args)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(text) }] });
  }
});

test.each([["2025-11-25"], ["2026-07-28"]])("serves the built-in tools by createMcpHandler on %s", async (era) => {
  const world = closedAfterTest(await startCoreWorld());
  const open = world.wake.defineEvent("news.posted", {
    description: "News.",
    args: z.object({ repo: z.string() }),
    payload: z.object({}),
    public: true,
  });
  const served = await serveHandler(() => {
    const server = makeHost(one, [{ name: "a", run: () => ok }]);
    world.wake.attach(server);
    return server;
  });
  onTestFinished(() => served.close());
  const client = new Client({ name: "c", version: "1" }, era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {});
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
    "a",
    "subscribe_events",
    "unsubscribe_events",
    "list_subscriptions",
  ]);
  const result: any = await client.callTool({ name: "subscribe_events", arguments: { event: "news.posted", arguments: { repo: "r" } } });
  expect(await open.emit({ repo: "r" }, {})).toMatchObject({ matched: 1 });
  expect((await world.next([result._meta[SUBSCRIPTION_META_KEY][0].ticket])).wakes).toHaveLength(1);
});

test("ends subscriptions from the app's side, by event, user or arguments", async () => {
  let user = "ann";
  const { call, world, open } = await setup(one, { identify: () => ({ user }) });
  await call("watch", { event: "news.posted" });
  user = "ben";
  await call("watch", { event: "news.posted" });
  expect(await world.wake.end({ event: open, user: "ann" })).toBe(1);
  expect(await world.wake.end({ event: "news.posted", args: { repo: "theirs" } })).toBe(1);
  expect(await world.wake.end({ user: "ben" })).toBe(0);
  await expect(world.wake.end({})).rejects.toMatchObject({ code: "bad_request" });
});

test.each([
  ["by its name", { name: "openai-mcp" }, {}],
  ["by the extension (seed-169)", { name: "codex-mcp-client" }, { extensions: { "io.modelcontextprotocol/events": {} } }],
] as const)(
  "tells a client that subscribes natively, %s, that it can't be woken here, and logs it once a tool (seed-167, seed-222)",
  async (_how, info, capabilities) => {
    const world = closedAfterTest(await startCoreWorld());
    world.wake.defineEvent("news.posted", {
      description: "News.",
      args: z.object({ repo: z.string() }),
      payload: z.object({}),
      public: true,
    });
    const served = await serveHandler(() => {
      const server = makeHost(one, [
        {
          name: "watch",
          run: async () => {
            const { state, reason } = await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
            return { content: [{ type: "text", text: `${state} ${String(reason)}` }] };
          },
        },
      ]);
      world.wake.attach(server, { wrap: { watch: [world.crawlFinished] } });
      return server;
    });
    onTestFinished(() => served.close());
    const client = new Client({ ...info, version: "1" }, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["watch", "unsubscribe_events", "list_subscriptions"]);
    for (let call = 0; call < 2; call += 1) {
      const result: any = await client.callTool({ name: "watch", arguments: {} });
      expect(result.content).toEqual([{ type: "text", text: "unavailable host_unsupported" }]);
      expect(result._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    }
    expect(world.log).toMatchObject([{ level: "warn", code: "native_unavailable", tool: "watch", reason: "host_unsupported" }]);
  },
);

const DECLARATIONS: Readonly<Record<string, any>> = {
  extensions: { extensions: { "io.modelcontextprotocol/events": {} } },
  experimental: { experimental: { "io.modelcontextprotocol/events": {} } },
  events: { events: {} },
};

describe.each(Object.entries(DECLARATIONS))("a client that declares MCP Events in %s", (_where, capabilities) => {
  async function serveTools(kind: (typeof HOST_KINDS)[number]) {
    const world = closedAfterTest(await startCoreWorld());
    const fields = { args: z.object({ repo: z.string() }), payload: z.object({}), public: true } as const;
    world.wake.defineEvent("news.posted", { description: "News.", ...fields });
    const make = (): any => {
      const run = async (): Promise<object> => {
        const { state, reason } = await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
        return { content: [{ type: "text", text: `${state} ${String(reason)}` }] };
      };
      const server = makeHost(kind, [{ name: "watch", run }]);
      world.wake.attach(server, { wrap: { watch: [world.crawlFinished] } });
      return server;
    };
    return { world, make };
  }

  async function isTreatedAsNative(client: any): Promise<void> {
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["watch", "unsubscribe_events", "list_subscriptions"]);
    expect((await client.callTool({ name: "watch", arguments: {} })).content).toEqual([
      { type: "text", text: "unavailable host_unsupported" },
    ]);
  }

  test.each(HOST_KINDS)("is a native one to a %s with a session (seed-168)", async (kind) => {
    const { make } = await serveTools(kind);
    const [there, here] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "codex-mcp-client", version: "1" }, { capabilities });
    await Promise.all([make().connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    await isTreatedAsNative(client);
  });

  test("is a native one on 2026-07-28, by each of its requests (seed-168)", async () => {
    const { make } = await serveTools(one);
    const served = await serveHandler(make);
    onTestFinished(() => served.close());
    const client = new Client(
      { name: "codex-mcp-client", version: "1" },
      { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    onTestFinished(() => client.close());
    await isTreatedAsNative(client);
  });
});

test("a signed-in user without the session key lists and ends what is theirs; anonymous callers can't, and nobody sees another's", async () => {
  let user: string | undefined = "ann";
  const { call, ended } = await setup(one, { identify: () => (user === undefined ? undefined : { user }) });
  const [entry] = (await call("watch", { event: "news.posted" }))._meta[SUBSCRIPTION_META_KEY];
  user = "ben";
  expect((await call("list_subscriptions")).content[0].text).toBe("This user is subscribed to nothing in this app.");
  expect((await call("unsubscribe_events", { id: entry.id })).content[0].text).toBe("This user has no such subscription.");
  user = undefined;
  for (const name of ["list_subscriptions", "unsubscribe_events"])
    expect(await call(name, { id: entry.id })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Pass session_key") }],
    });
  user = "ann";
  expect((await call("list_subscriptions")).content[0].text).toContain(entry.id);
  expect((await call("unsubscribe_events", { event: "news.posted" })).content[0].text).toBe("Ended 1 subscription.");
  expect(ended).toMatchObject([{ user: "ann", event: "news.posted", tool: "unsubscribe_events" }]);
  expect((await call("list_subscriptions")).content[0].text).toBe("This user is subscribed to nothing in this app.");
});
