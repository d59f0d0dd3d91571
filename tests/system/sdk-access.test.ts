import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { SubscribedNotice, UnsubscribedNotice } from "@wakeshift/sdk";
import { describe, expect, test, vi } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { WakeStream } from "./core-support/wake-stream.ts";
import { startSignedInWorld, subscribedBy } from "./sdk-support/signed-in-world.ts";
import type { Caller, SignedInWorld } from "./sdk-support/signed-in-world.ts";

async function start(...given: Parameters<typeof startSignedInWorld>): Promise<SignedInWorld> {
  const world = closedAfterTest(await startSignedInWorld(...given));
  for (const [token, user] of [
    ["ada-1", "ada"],
    ["ada-2", "ada"],
    ["ann-1", "ann"],
    ["bob-1", "bob"],
  ] as const)
    world.tokens.set(token, user);
  return world;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const textOf = (result: any): string => result.content[0].text;
const KIND = "1.x McpServer";
const JOB = { event: "job.done", args: { job: "1" } };
const TURN = { event: "game.turn", args: { table: "t" } };
const RED = { event: "team.changed", arguments: { team: "red" } };

describe.each([{ kind: "1.x McpServer" }, { kind: "2.x McpServer" }] as const)("$kind", ({ kind }) => {
  test("PC-44 a new token of the same user keeps the session; another user's token in the same MCP session, with the session key, gets nothing of it", async () => {
    const world = await start(kind);
    const caller = await world.connect(bearer("ada-1"));
    const made = [subscribedBy(await caller.call("watch", TURN)), subscribedBy(await caller.call("watch", JOB))];
    const [turn, job] = made as [(typeof made)[0], (typeof made)[0]];
    const session = { session_key: turn.session };
    const both = subscribedBy(await caller.call("watch", { ...JOB, ...session }));

    caller.headers = bearer("ada-2");
    const listed = textOf(await caller.call("list_subscriptions", session));
    expect(listed).toContain(turn.id);
    expect(listed).toContain(both.id);
    expect(listed).not.toContain(job.id);
    expect(subscribedBy(await caller.call("watch", { ...TURN, ...session })).id).toBe(turn.id);

    caller.headers = bearer("bob-1");
    expect(await caller.call("list_subscriptions", session)).toMatchObject({ isError: true });
    expect(await caller.call("unsubscribe_events", { ...session, id: turn.id })).toMatchObject({
      content: [{ text: "This conversation has no such subscription." }],
    });
    expect(textOf(await caller.call("watch", { ...TURN, ...session, end: true }))).toBe('{"ended":false}');
    const bobs = subscribedBy(await caller.call("watch", { ...TURN, ...session }));
    expect([bobs.id === turn.id, bobs.session === turn.session]).toEqual([false, false]);
    await world.events.turn.emit({ table: "t" }, { status: "for ada" }, { to: "ada" });
    await world.events.turn.emit({ table: "t" }, { status: "for bob" }, { to: "bob" });
    const taken = async (ticket: string): Promise<string[]> =>
      (await world.next(ticket)).wakes.map((wake: any) => wake.payload.status as string);
    expect(await taken(bobs.ticket)).toEqual(["for bob"]);

    caller.headers = bearer("ada-1");
    const renewed = subscribedBy(await caller.call("watch", { ...TURN, ...session }));
    expect(renewed.id).toBe(turn.id);
    expect(await taken(renewed.ticket)).toEqual(["for ada"]);
  });

  test("authorize is told the verified token, the user and the request (seed-184, seed-189, seed-205)", async () => {
    const world = await start(kind);
    const caller = await world.connect(bearer("ada-1"));
    subscribedBy(await caller.call("subscribe_events", RED));
    const [subscriber] = world.asked;
    expect(subscriber).toMatchObject({
      user: "ada",
      authInfo: { token: "ada-1", clientId: "client" },
      client: "test-client",
      native: false,
    });
    expect(subscriber.request.http?.authInfo ?? subscriber.request.authInfo).toEqual(subscriber.authInfo);
  });
});

describe("PC-45 a caller nobody can be seen behind is refused alike, whatever stands in for a user", () => {
  const attempts = async (caller: Caller): Promise<unknown[]> => [
    await caller.call("subscribe_events", { event: "game.turn", arguments: { table: "t" } }),
    await caller.call("subscribe_events", RED),
    await caller.call("list_subscriptions", {}),
  ];
  const nothingStored = async (world: SignedInWorld): Promise<void> => {
    const [app] = await world.core.store.listApps();
    expect(await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now())).toEqual([]);
  };

  test("no header, an empty one, garbage, a token of nobody", async () => {
    const world = await start(KIND);
    const headers = [{}, { authorization: "" }, { authorization: "Bearer " }, { authorization: "garbage" }, bearer("nobody's")];
    const results = [];
    for (const each of headers) results.push(await attempts(await world.connect(each)));
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]).toMatchObject([{ isError: true }, { isError: true }, { isError: true }]);
    await nothingStored(world);
  });

  const fail = (): never => {
    throw new TypeError("the sign-in is down, hunter2");
  };
  test("identify answers with a blank user, something else for one, nothing, or throws", async () => {
    const answers: (() => unknown)[] = [
      () => ({ user: "" }),
      () => ({ user: " " }),
      () => ({ user: "\t\n" }),
      () => ({ user: null }),
      () => ({ user: 0 }),
      () => ({ user: undefined }),
      () => ({ user: ["ada"] }),
      () => ({}),
      () => null,
      () => undefined,
      () => "ada",
      async () => ({ user: " " }),
      fail,
      async () => fail(),
    ];
    let answer = answers[0] as () => unknown;
    const world = await start(KIND, { identify: () => answer() as any });
    const caller = await world.connect(bearer("ada-1"));
    const results: unknown[][] = [];
    const byTool: string[] = [];
    for (answer of answers) {
      results.push(await attempts(caller));
      byTool.push(textOf(await caller.call("watch", TURN)));
    }
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]).toMatchObject([{ isError: true }, { isError: true }, { isError: true }]);
    expect(byTool).toEqual([
      ...answers.slice(0, -2).map(() => '{"state":"unavailable","reason":"no_user"}'),
      ...answers.slice(-2).map(() => '{"code":"identify_failed"}'),
    ]);
    await nothingStored(world);
    const told = world.log.filter((entry) => entry.code === "identify_failed");
    expect(told.map(({ level, error }) => [level, error])).toEqual(Array.from({ length: 6 }, () => ["warn", "TypeError"]));
    expect(JSON.stringify([results, world.log])).not.toContain("hunter2");
  });

  test("two such callers never share anything", async () => {
    const world = await start(KIND);
    const [one, two] = [await world.connect(), await world.connect({ authorization: "garbage" })];
    const news = { event: "news.posted", arguments: { topic: "x" } };
    const [first, second] = [
      subscribedBy(await one.call("subscribe_events", news)),
      subscribedBy(await two.call("subscribe_events", news)),
    ];
    expect([first.id === second.id, first.session === second.session, first.ticket === second.ticket]).toEqual([false, false, false]);
    expect(textOf(await two.call("list_subscriptions", { session_key: second.session }))).not.toContain(first.id);
    expect(textOf(await two.call("unsubscribe_events", { session_key: second.session, id: first.id }))).toBe(
      "This conversation has no such subscription.",
    );
    await expect(world.events.turn.emit({ table: "t" }, { status: "x" }, { to: "" })).rejects.toMatchObject({ code: "to_required" });
    await expect(world.events.turn.emit({ table: "t" }, { status: "x" }, { to: [" "] })).rejects.toMatchObject({ code: "to_required" });
  });

  test("requireUser refuses them on every event, in the same words, also one that is open to anyone (seed-176)", async () => {
    const world = await start(KIND, { requireUser: true });
    const results = [];
    for (const headers of [{}, { authorization: "garbage" }] as Record<string, string>[]) {
      const caller = await world.connect(headers);
      results.push(await caller.call("subscribe_events", { event: "news.posted", arguments: { topic: "x" } }));
      expect(textOf(await caller.call("watch", JOB))).toBe('{"code":"user_required"}');
    }
    expect(results[0]).toMatchObject({ isError: true });
    expect(results[1]).toEqual(results[0]);
    const caller = await world.connect(bearer("ada-1"));
    subscribedBy(await caller.call("watch", JOB));
  });
});

test("PC-46 by the built-in tools: another's id, its session key, or one with a letter changed get what was never there gets", async () => {
  const world = await start(KIND);
  const ada = subscribedBy(await (await world.connect(bearer("ada-1"))).call("watch", JOB));
  const bob = await world.connect(bearer("bob-1"));
  const bobs = subscribedBy(await bob.call("watch", { ...JOB, args: { job: "2" } }));
  const never = { id: `sub_${"0".repeat(32)}`, session: `wsk_${"0".repeat(32)}` };
  const changed = `${ada.session.slice(0, -1)}${ada.session.endsWith("A") ? "B" : "A"}`;
  const session_key = bobs.session;
  expect(await bob.call("unsubscribe_events", { session_key, id: ada.id })).toEqual(
    await bob.call("unsubscribe_events", { session_key, id: never.id }),
  );
  for (const name of ["list_subscriptions", "unsubscribe_events"]) {
    const [foreign, mistyped, none] = await Promise.all(
      [ada.session, changed, never.session].map((key) => bob.call(name, { session_key: key, event: "job.done" })),
    );
    expect(foreign).toEqual(none);
    expect(mistyped).toEqual(none);
    expect(JSON.stringify(foreign)).not.toContain(ada.id);
  }
  expect((await world.next(ada.ticket)).ended).toEqual([]);
});

test("PC-49 a victim's ids in `_meta`, arguments and headers give nothing, and the caller's own token goes nowhere (seed-163, seed-175)", async () => {
  const world = await start(KIND);
  const mark = "MARK0mark1MARK2";
  world.tokens.set(mark, "mallory");
  const thread = { threadId: "019c0000-0000-7000-8000-000000000001", sessionId: "victim-session" };
  const victim = await world.connect({ ...bearer("ada-1"), "user-agent": "codex/1.0" }, "codex-mcp-client");
  const own = subscribedBy(await victim.call("watch", { ...JOB, harness: "codex", conversation_id: thread.threadId }, thread));

  const asserted = { "x-user-id": "ada", "x-forwarded-user": "ada", "user-agent": "codex/1.0", "mcp-client": "codex" };
  const mallory = await world.connect({ ...bearer(mark), ...asserted }, "codex-mcp-client");
  const claims = { harness: "codex", conversation_id: thread.threadId };
  const theirs = subscribedBy(await mallory.call("watch", { ...JOB, ...claims }, { ...thread, user: "ada", authorization: mark }));
  const turn = subscribedBy(await mallory.call("watch", { ...TURN, ...claims }, thread));
  subscribedBy(await mallory.call("subscribe_events", { event: "news.posted", arguments: { topic: "x" }, ...claims }, thread));
  expect(await mallory.call("subscribe_events", { ...RED, ...claims }, thread)).toMatchObject({ isError: true });
  for (const session of [{}, { session_key: theirs.session }]) {
    const listed = textOf(await mallory.call("list_subscriptions", { ...claims, ...session }, thread));
    expect(listed).toContain(theirs.id);
    expect(listed).not.toContain(own.id);
  }

  const [app] = await world.core.store.listApps();
  const stored = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
  expect(stored.map((each) => each.user)).toEqual(["ada", "mallory", "mallory", "mallory"]);
  await world.events.turn.emit({ table: "t" }, { status: "hers" }, { to: "ada" });
  expect((await world.next(turn.ticket)).wakes).toEqual([]);
  await mallory.call("watch", { ...JOB, ...claims, session_key: theirs.session, end: true }, thread);
  await world.events.job.emit({ job: "1" }, { status: "done" });
  expect((await world.next(own.ticket)).wakes).toHaveLength(1);

  expect(world.traffic.join("\n")).toContain("mallory");
  for (const [place, text] of Object.entries({
    traffic: world.traffic.join("\n"),
    "the SDK's log": JSON.stringify(world.log),
    "the core's log": world.coreLog.join(""),
    "the core's disk": world.onDisk(),
  }))
    expect(text.includes(mark) || text.includes(Buffer.from(mark).toString("base64url")), place).toBe(false);
});

test("an identify that names the client binds the session key to it, and a user alone isn't enough (seed-174)", async () => {
  let client: string | undefined = "first";
  const world = await start(KIND, { identify: async () => ({ user: "ada", ...(client === undefined ? {} : { client }) }) });
  const caller = await world.connect({}, "");
  const made = subscribedBy(await caller.call("watch", JOB));
  const again = subscribedBy(await caller.call("watch", { ...JOB, session_key: made.session }));
  expect(again.id).toBe(made.id);
  client = "second";
  expect(subscribedBy(await caller.call("watch", { ...JOB, session_key: made.session })).id).not.toBe(made.id);
});

test("a team's members each get every occurrence, nobody else can subscribe, and nothing is asked again later (seed-191, seed-205, seed-206, seed-207)", async () => {
  const world = await start(KIND);
  const tickets = [];
  for (const token of ["ada-1", "ann-1"]) {
    const caller = await world.connect(bearer(token));
    tickets.push(subscribedBy(await caller.call("subscribe_events", RED)).ticket);
  }
  const outsider = await world.connect(bearer("bob-1"));
  expect(await outsider.call("subscribe_events", RED)).toMatchObject({ isError: true });
  const before = world.asked.length;
  expect(await world.events.team.emit({ team: "red" }, { status: "merged" })).toMatchObject({ matched: 2 });
  for (const ticket of tickets) expect((await world.next(ticket)).wakes).toMatchObject([{ payload: { status: "merged" } }]);
  expect(world.asked).toHaveLength(before);
});

test("the author's own tools ask no authorize: whom they subscribe they have to check themselves (seed-202, seed-203)", async () => {
  const world = await start(KIND);
  const outsider = await world.connect(bearer("bob-1"));
  subscribedBy(await outsider.call("watch", { event: "team.changed", args: { team: "red" } }));
  expect(world.asked).toEqual([]);
});

test("client and native are what the caller says of itself, and open nothing (seed-190)", async () => {
  const world = await start(KIND);
  for (const name of ["test-client", "codex-mcp-client", "ada", "admin"]) {
    const caller = await world.connect(bearer("bob-1"), name);
    expect(await caller.call("subscribe_events", { ...RED, harness: "claude-code" })).toMatchObject({ isError: true });
  }
  expect(world.asked.map(({ client, native, user }) => [client, native, user])).toEqual([
    ["test-client", false, "bob"],
    ["codex-mcp-client", false, "bob"],
    ["ada", false, "bob"],
    ["admin", false, "bob"],
  ]);
});

test("an authorize that always refuses lets nobody in, as the default does, and yet is offered (seed-215)", async () => {
  const world = await start(KIND);
  world.wake.defineEvent("never.ever", {
    description: "Never",
    args: { type: "object", properties: {} },
    payload: { type: "object" },
    authorize: () => false,
  });
  const caller = await world.connect(bearer("ada-1"));
  const tool: any = (await caller.client.listTools()).tools.find((each) => each.name === "subscribe_events");
  expect(tool.inputSchema.properties.event.enum).toEqual(["news.posted", "game.turn", "team.changed", "never.ever"]);
  for (const event of ["never.ever", "job.done"]) expect(await caller.call("subscribe_events", { event })).toMatchObject({ isError: true });
});

test("whom a personal emit is for is the author's to say, subscribed or not, and its answer names nobody (seed-210, seed-214)", async () => {
  const world = await start(KIND);
  const caller = await world.connect(bearer("ada-1"));
  const { ticket } = subscribedBy(await caller.call("watch", TURN));
  const seats = ["bob", "carol"];
  expect(await world.events.turn.emit({ table: "t" }, { status: "x" }, { to: seats })).toEqual({
    id: expect.stringMatching(/^evt_/) as string,
    matched: 0,
    connected: 0,
    duplicate: false,
  });
  expect((await world.next(ticket)).wakes).toEqual([]);
  await expect(world.events.job.emit({ job: "1" }, { status: "x" }, { to: "ada" })).rejects.toMatchObject({ code: "to_refused" });
});

test("listeners are told what was subscribed and ended, by which way and with the tool's context, and never a secret", async () => {
  const subscribed: SubscribedNotice[] = [];
  const ended: UnsubscribedNotice[] = [];
  const world = await start(KIND, { onSubscribe: (notice) => subscribed.push(notice), onUnsubscribe: (notice) => ended.push(notice) });
  const caller = await world.connect(bearer("ada-1"));
  const failed = await caller.call("watch", { ...JOB, fail: true });
  expect(failed._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
  const made = subscribedBy(await caller.call("watch", JOB));
  const session = { session_key: made.session };
  await caller.call("watch", { ...JOB, ...session });
  const generic = subscribedBy(await caller.call("subscribe_events", { ...RED, ...session }));
  const common = { user: "ada", client: "test-client" };
  await vi.waitFor(() =>
    expect(subscribed).toEqual([
      {
        ...common,
        event: "job.done",
        id: made.id,
        args: { job: "1" },
        via: "tool",
        tool: "watch",
        native: false,
        context: { from: "watch" },
      },
      {
        ...common,
        event: "team.changed",
        id: generic.id,
        args: { team: "red" },
        via: "subscribe_events",
        tool: "subscribe_events",
        native: false,
        context: undefined,
      },
    ]),
  );
  await caller.call("watch", { ...JOB, ...session, end: true });
  await caller.call("watch", { ...JOB, ...session, end: true });
  await caller.call("unsubscribe_events", { ...session, id: generic.id });
  await vi.waitFor(() =>
    expect(ended).toEqual([
      { ...common, event: "job.done", id: undefined, args: { job: "1" }, via: "tool", tool: "watch" },
      { ...common, event: undefined, id: generic.id, args: undefined, via: "subscribe_events", tool: "unsubscribe_events" },
    ]),
  );
  expect(JSON.stringify([subscribed, ended])).not.toMatch(/wsk_|wkt_/);
});

test("wake.end ends what matches at once: open streams hear of it, what is leased can't be acked, and nothing more arrives", async () => {
  const world = await start(KIND);
  const [ada, ann] = [await world.connect(bearer("ada-1")), await world.connect(bearer("ann-1"))];
  const [gone, kept] = [subscribedBy(await ada.call("subscribe_events", RED)), subscribedBy(await ann.call("subscribe_events", RED))];
  const stream = await (await WakeStream.open(world.core.url, "a-holder", [gone.ticket, kept.ticket])).untilReady();
  await world.events.team.emit({ team: "red" }, { status: "first" });
  const [wake] = await stream.wakes(2);
  const before = performance.now();
  expect(await world.wake.end({ event: world.events.team, user: "ada" })).toBe(1);
  await stream.until(() => stream.of("ended").length > 0);
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(stream.of("ended")).toMatchObject([{ subscription: gone.id, reason: "ended" }]);
  const ack = await fetch(`${world.core.url}/api/wakes/v1/ack`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ holder: "a-holder", acks: [{ ticket: gone.ticket, occurrence: wake.occurrence, state: "handed" }] }),
  });
  expect(await ack.json()).toMatchObject({ acks: [{ result: "late" }] });
  expect(await world.events.team.emit({ team: "red" }, { status: "second" })).toMatchObject({ matched: 1 });
  await stream.until(() => stream.of("wake").length >= 3);
  expect(stream.of("wake").slice(2)).toMatchObject([{ subscription: kept.id, payload: { status: "second" } }]);
  stream.close();
});

test("wake.end takes an event or its name, a user, and arguments that may be some of a subscription's, and needs one of them", async () => {
  const world = await start(KIND);
  const { wake, events } = world;
  const caller = await world.connect(bearer("ada-1"));
  const subscribe = async (args: object): Promise<void> => void subscribedBy(await caller.call("watch", { event: "team.changed", args }));
  const all = async (): Promise<void> => {
    for (const args of [{ team: "red" }, { team: "red", branch: "main" }, { team: "blue" }]) await subscribe(args);
  };
  await all();
  expect(await wake.end({ event: events.team, user: "ada", args: { team: "red" } })).toBe(2);
  expect(await wake.end({ event: "team.changed", user: "bob" })).toBe(0);
  expect(await wake.end({ event: events.team, args: { team: "blue", branch: "main" } })).toBe(0);
  expect(await wake.end({ user: "ada" })).toBe(1);
  await all();
  expect(await wake.end({ args: { branch: "main" } })).toBe(1);
  expect(await wake.end({ event: "team.changed", args: {} })).toBe(2);
  expect(await wake.end({ event: "no.such", args: { team: "red" } })).toBe(0);
  for (const nothing of [{}, { args: {} }, { user: "" }, { user: " " }, { event: events.team, user: "" }])
    await expect(wake.end(nothing)).rejects.toMatchObject({ code: "bad_request" });
  await expect(wake.end({ args: { at: new Date() } })).rejects.toMatchObject({ code: "bad_arguments" });
});

test("wake.forgetUser deletes all the core keeps of one user, and nothing of another", async () => {
  const world = await start(KIND);
  const [ada, bob] = [await world.connect(bearer("ada-1")), await world.connect(bearer("bob-1"))];
  const [hers, his] = [subscribedBy(await ada.call("watch", TURN)), subscribedBy(await bob.call("watch", TURN))];
  await world.events.turn.emit({ table: "t" }, { status: "the first secret" }, { to: "ada" });
  await world.events.turn.emit({ table: "t" }, { status: "for both" }, { to: ["ada", "bob"] });
  expect(await world.wake.forgetUser("ada")).toBe(true);
  expect(await world.wake.forgetUser("ada")).toBe(false);
  expect((await world.next(hers.ticket)).ended).toMatchObject([{ reason: "unknown" }]);
  expect(await ada.call("list_subscriptions", { session_key: hers.session })).toMatchObject({ isError: true });
  expect((await world.next(his.ticket)).wakes).toMatchObject([{ payload: { status: "for both" } }]);
  for (const nobody of ["", " ", undefined as unknown as string])
    await expect(world.wake.forgetUser(nobody)).rejects.toMatchObject({ code: "bad_request" });
});

test("optional arguments filter on the payload's field of that name: when subscribing, replaying, listing, renewing (seed-125)", async () => {
  const world = await start(KIND);
  const { team } = world.events;
  const caller = await world.connect(bearer("ada-1"));
  const main = { event: "team.changed", args: { team: "red", branch: "main" } };
  const made = subscribedBy(await caller.call("watch", main));
  const session = { session_key: made.session };
  const emit = (status: string, branch?: string, args: object = {}): Promise<unknown> =>
    team.emit({ team: "red", ...args }, { status, ...(branch === undefined ? {} : { branch }) });
  await emit("by payload", "main");
  await emit("another branch", "dev");
  await emit("no branch");
  await emit("by argument", "dev", { branch: "main" });
  const taken = async (ticket: string): Promise<string[]> => (await world.next(ticket)).wakes.map((wake: any) => wake.payload.status);
  expect(await taken(made.ticket)).toEqual(["by payload", "by argument"]);
  expect(textOf(await caller.call("list_subscriptions", session))).toContain('"arguments":{"branch":"main","team":"red"}');
  expect(subscribedBy(await caller.call("watch", { ...main, ...session })).id).toBe(made.id);
  for (const args of [{ team: "red" }, { team: "red", branch: "dev" }])
    expect(subscribedBy(await caller.call("watch", { ...main, args, ...session })).id).not.toBe(made.id);
  expect(await caller.call("watch", { ...main, args: { team: "red", branch: 5 } })).toMatchObject({ isError: true });
});
