import { describe, expect, test } from "vitest";
import { CRAWL, emit, FREE, objectSchema, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import type { AppClient } from "./core-support/core-client.ts";

const HOLDER = "holder-of-this-test";
const OPEN = { ...CRAWL, name: "open.event", access: ["public"] };
const GATED = { ...CRAWL, name: "gated.event", access: ["authorize"] };

function trySubscribe(
  app: AppClient,
  name: string,
  changes: Record<string, unknown> = {},
  call: Record<string, unknown> = {},
): Promise<any> {
  return app.post("/event-subscriptions", { call: { client: "c", ...call }, name, arguments: { job: "a" }, ...changes });
}

describe("openness is enforced by the core, whatever an SDK says", () => {
  test("a tools-only event is refused to subscribe_events, also where `via` claims to be the app's tool (seed-179)", async () => {
    const world = await startWorld();
    for (const changes of [{}, { via: "tool" }, { via: "subscribe_events" }]) {
      expect(await trySubscribe(world.app, CRAWL.name, changes, { tool: "subscribe_events" })).toMatchObject({
        status: 403,
        body: { error: { code: "not_open" } },
      });
    }
    expect((await trySubscribe(world.app, CRAWL.name, { via: "subscribe_events" }, { tool: "start_crawl" })).body.error.code).toBe(
      "not_open",
    );
    expect((await trySubscribe(world.app, CRAWL.name, { via: "native" }, { tool: "start_crawl" })).body.error.code).toBe("not_open");
    expect((await trySubscribe(world.app, CRAWL.name, {}, { tool: "start_crawl" })).status).toBe(200);
  });

  test("a closed event tells nothing about its arguments to a path it isn't open to", async () => {
    const world = await startWorld();
    const wrong = await trySubscribe(world.app, CRAWL.name, { arguments: { nonsense: 1 } }, { tool: "subscribe_events" });
    expect(wrong.body.error.code).toBe("not_open");
  });

  test("public, authorize and personal open it to subscribe_events", async () => {
    const mine = { ...CRAWL, name: "my.event", access: ["personal"] };
    const world = await startWorld({}, [OPEN, GATED, mine]);
    expect((await trySubscribe(world.app, OPEN.name, {}, { tool: "subscribe_events" })).status).toBe(200);
    expect((await trySubscribe(world.app, GATED.name, {}, { tool: "subscribe_events" })).status).toBe(200);
    expect((await trySubscribe(world.app, mine.name, {}, { tool: "subscribe_events" })).body.error.code).toBe("user_required");
    expect((await trySubscribe(world.app, mine.name, {}, { tool: "subscribe_events", user: "ada" })).status).toBe(200);
  });

  test("an SDK older than the rule leaves its events open, but never reopens what a newer one closed", async () => {
    const world = await startWorld({}, []);
    const publish = (sdk: object | undefined, event: object): Promise<any> =>
      world.app.call("PUT", "/manifest", sdk === undefined ? { events: [event] } : { sdk, events: [event] });
    const open = async (): Promise<number> => (await trySubscribe(world.app, CRAWL.name, {}, { tool: "subscribe_events" })).status;
    await publish(undefined, CRAWL);
    expect(await open()).toBe(200);
    await publish({ language: "typescript", version: "0.10.3" }, CRAWL);
    expect(await open()).toBe(200);
    expect((await publish(SDK, CRAWL)).body).toMatchObject({ changed: true });
    expect(await open()).toBe(403);
    expect((await publish(undefined, CRAWL)).body).toMatchObject({ changed: false });
    await publish({ language: "python", version: "0.9.0" }, { ...CRAWL, personal: true });
    expect(await open()).toBe(403);
    await publish(SDK, { ...CRAWL, access: ["public"] });
    expect(await open()).toBe(200);
  });

  test("closing an open event ends what other paths subscribed, answers how many, and delivers nothing more to them", async () => {
    const world = await startWorld({}, [OPEN]);
    const publish = (event: object, sdk: object | undefined = SDK): Promise<any> =>
      world.app.call("PUT", "/manifest", { ...(sdk === undefined ? {} : { sdk }), events: [event] });
    const generic = await subscribe(world.app, { name: OPEN.name }, { tool: "subscribe_events" });
    const tool = await subscribe(world.app, { name: OPEN.name });
    expect((await publish({ ...OPEN, description: "Still open" })).body.closed).toEqual([]);
    expect((await publish({ ...OPEN, access: [] })).body).toMatchObject({ changed: true, closed: [{ name: OPEN.name, ended: 1 }] });
    await emit(world.app, { name: OPEN.name });
    const next = async (ticket: string): Promise<any> =>
      (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 2_000 })).body;
    expect(await next(generic.ticket)).toMatchObject({ wakes: [], ended: [{ subscription: generic.id, reason: "revoked" }] });
    expect((await next(tool.ticket)).wakes).toHaveLength(1);
    const again = (await publish({ ...OPEN, access: [], description: "Closed" })).body;
    expect(again.closed).toEqual([{ name: OPEN.name, ended: 1 }]);
    const { access: _, ...undeclared } = OPEN;
    expect((await world.app.call("PUT", "/manifest", { events: [undeclared] })).status).toBe(200);
    expect((await trySubscribe(world.app, OPEN.name, {}, { tool: "subscribe_events" })).body.error.code).toBe("not_open");
    expect((await publish({ ...OPEN, access: ["public"] })).body.closed).toEqual([]);
    expect((await publish({ ...OPEN, access: [] })).body.closed).toEqual([{ name: OPEN.name, ended: 0 }]);
    expect((await publish({ ...CRAWL, name: "brand.new" })).body.closed).toEqual([]);
  });
});

describe("session keys", () => {
  test("PC-44 one is bound to user and client: another caller's is ignored, a new one is handed out, and nothing of the other's is reached", async () => {
    const world = await startWorld();
    const ada = await subscribe(world.app, {}, { user: "ada" });
    const strangers = [{ user: "bob" }, {}, { user: "ada", client: "another-client" }];
    for (const stranger of strangers) {
      const made = await subscribe(world.app, {}, { ...stranger, session: ada.session });
      expect(made.session).not.toBe(ada.session);
      expect(made.id).not.toBe(ada.id);
      const call = { client: "codex-mcp-client", ...stranger, session: ada.session };
      for (const [path, body] of [
        ["list", { call }],
        ["unsubscribe", { call, name: CRAWL.name }],
        ["unsubscribe", { call, id: ada.id }],
      ] as const) {
        expect(await world.app.post(`/event-subscriptions/${path}`, body)).toMatchObject({
          status: 403,
          body: { error: { code: "unknown_session" } },
        });
      }
    }
    const own = { client: "codex-mcp-client", user: "ada", session: ada.session };
    expect((await world.app.post("/event-subscriptions/list", { call: own })).body.subscriptions.map((one: any) => one.id)).toEqual([
      ada.id,
    ]);
  });

  test("one of another app is ignored", async () => {
    const world = await startWorld();
    const other = await world.addApp("Another");
    await other.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
    const first = await subscribe(world.app);
    const made = await subscribe(other, {}, { session: first.session });
    expect(made.session).not.toBe(first.session);
    expect(
      (await other.post("/event-subscriptions/list", { call: { client: "codex-mcp-client", session: first.session } })).body.error.code,
    ).toBe("unknown_session");
  });

  test("what isn't one is ignored when subscribing, and refused when listing", async () => {
    const world = await startWorld();
    for (const session of ["", "wsk_", "wsk_short", "x".repeat(1_000), `wkt_${"a".repeat(32)}`]) {
      expect((await subscribe(world.app, {}, { session })).session).toMatch(/^wsk_[0-9A-Za-z]{32}$/);
      expect((await world.app.post("/event-subscriptions/list", { call: { client: "codex-mcp-client", session } })).body.error.code).toBe(
        "unknown_session",
      );
    }
    expect((await world.app.post("/event-subscriptions/list", { call: { client: "codex-mcp-client" } })).body.error.code).toBe(
      "unknown_session",
    );
  });

  test("a conversation holds at most 100 live subscriptions of an app, and an ended one makes room", async () => {
    const world = await startWorld();
    const first = await subscribe(world.app);
    const call = { client: "codex-mcp-client", tool: "start_crawl", session: first.session };
    const all = await Promise.all(
      Array.from({ length: 99 }, (_, n) => trySubscribe(world.app, CRAWL.name, { arguments: { job: `j${n}` } }, call)),
    );
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(await trySubscribe(world.app, CRAWL.name, { arguments: { job: "one more" } }, call)).toMatchObject({
      status: 429,
      body: { error: { code: "subscription_limit" } },
    });
    expect((await trySubscribe(world.app, CRAWL.name, { arguments: { job: "j1" } }, call)).body.event_subscription.created).toBe(false);
    await world.app.post("/event-subscriptions/unsubscribe", { call, name: CRAWL.name, arguments: { job: "j2" } });
    expect((await trySubscribe(world.app, CRAWL.name, { arguments: { job: "one more" } }, call)).status).toBe(200);
  });
});

describe("PC-46 knowing an id gives nothing", () => {
  async function twoApps(): Promise<{ world: CoreWorld; other: AppClient; a: { id: string; ticket: string; session: string } }> {
    const world = await startWorld();
    const other = await world.addApp("Another");
    await other.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
    return { world, other, a: await subscribe(world.app, {}, { user: "ada" }) };
  }

  test("another app, another user, one letter changed: the answer is the same as for what never was", async () => {
    const { world, other, a } = await twoApps();
    const never = `sub_${"0".repeat(32)}`;
    expect((await other.post("/event-subscriptions/end", { id: a.id })).body).toEqual(
      (await other.post("/event-subscriptions/end", { id: never })).body,
    );
    expect((await world.app.post("/event-subscriptions/end", { user: "bob", id: a.id })).body).toEqual(
      (await world.app.post("/event-subscriptions/end", { user: "bob", id: never })).body,
    );
    const bob = await subscribe(world.app, { arguments: { job: "b" } }, { user: "bob" });
    const asBob = { client: "codex-mcp-client", user: "bob", session: bob.session };
    expect((await world.app.post("/event-subscriptions/unsubscribe", { call: asBob, id: a.id })).body).toEqual(
      (await world.app.post("/event-subscriptions/unsubscribe", { call: asBob, id: never })).body,
    );
    const changed = `${a.session.slice(0, -1)}${a.session.endsWith("A") ? "B" : "A"}`;
    const answers = await Promise.all(
      [changed, a.session].map((session) => world.app.post("/event-subscriptions/list", { call: { ...asBob, session } })),
    );
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect((await world.app.post("/event-subscriptions/list", { user: "ada" })).body.subscriptions.map((one: any) => one.id)).toEqual([
      a.id,
    ]);
  });

  test("a ticket held by another is as unknown as one that never was, to stream, ack and end alike", async () => {
    const { world, a } = await twoApps();
    const never = `wkt_${"0".repeat(32)}`;
    await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [a.ticket] });
    const { body: emitted } = await world.app.post("/events/emit", {
      name: CRAWL.name,
      arguments: { job: "a" },
      payload: { status: "done" },
    });
    const thief = { holder: "a-thief" };
    for (const path of ["next", "end"]) {
      const [theirs, nobody] = await Promise.all(
        [a.ticket, never].map((ticket) => world.fetchJson("POST", `/api/wakes/v1/${path}`, { ...thief, tickets: [ticket] })),
      );
      expect(theirs?.status).toBe(nobody?.status);
      expect(theirs?.body.ended.map((one: any) => ({ ...one, ticket_id: "" }))).toEqual(
        nobody?.body.ended.map((one: any) => ({ ...one, ticket_id: "" })),
      );
    }
    const [theirs, nobody] = await Promise.all(
      [a.ticket, never].map((ticket) =>
        world.fetchJson("POST", "/api/wakes/v1/ack", { ...thief, acks: [{ ticket, occurrence: emitted.id, state: "handed" }] }),
      ),
    );
    expect(theirs?.body).toEqual(nobody?.body);
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [a.ticket] });
    expect(body.wakes.map((wake: any) => wake.occurrence)).toEqual([emitted.id]);
  });

  test("answers without credentials hold no secret, user or subscription id", async () => {
    const { world, a } = await twoApps();
    const answers = await Promise.all([
      world.fetchJson("GET", "/healthz"),
      world.fetchJson("GET", "/readyz"),
      world.fetchJson("GET", "/metrics"),
      world.fetchJson("GET", `/api/apps/v1/subscriptions/${a.id}`),
      world.fetchJson("POST", "/api/apps/v1/event-subscriptions/list", { user: "ada" }),
      world.fetchJson("POST", "/api/wakes/v1/end", { holder: "x", tickets: [a.id, "ada"] }),
      world.fetchJson("POST", "/api/wakes/v1/next", { holder: 7, tickets: [a.ticket] }),
      world.fetchJson("POST", "/api/wakes/v1/stream", '{"holder":"x","tickets":"' + a.ticket + '"}'),
    ]);
    const text = JSON.stringify(answers.map(({ body }) => body));
    expect(text).not.toMatch(/wst_|wsk_|wkt_|wsv_|whsec_|ada|sub_/);
  });
});

describe("a ticket", () => {
  test("is retired by the first use of the one that renewing made", async () => {
    const world = await startWorld();
    const first = await subscribe(world.app);
    const next = (ticket: string): Promise<any> =>
      world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] }).then(({ body }) => body);
    expect((await next(first.ticket)).ended).toEqual([]);
    const again = await subscribe(world.app, {}, { session: first.session });
    expect((await next(first.ticket)).ended).toEqual([]);
    expect((await next(again.ticket)).ended).toEqual([]);
    expect((await next(first.ticket)).ended).toHaveLength(1);
  });

  test("ends its subscription, and only that", async () => {
    const world = await startWorld();
    const [a, b] = [await subscribe(world.app), await subscribe(world.app, { arguments: { job: "b" } })];
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/end", { holder: HOLDER, tickets: [a.ticket] });
    expect(body.ended).toMatchObject([{ subscription: a.id, reason: "unsubscribed" }]);
    expect((await world.fetchJson("POST", "/api/wakes/v1/end", { holder: HOLDER, tickets: [a.ticket] })).status).toBe(200);
    const { body: left } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [a.ticket, b.ticket] });
    expect(left.ended).toMatchObject([{ subscription: a.id, reason: "unsubscribed" }]);
    expect(
      (await world.app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } })).body.matched,
    ).toBe(0);
  });
});

test("optional arguments filter: on the emit's argument of that name, else on the payload's field", async () => {
  const event = {
    ...FREE,
    name: "build.done",
    arguments: objectSchema({ repo: { type: "string" }, branch: { type: "string" } }, ["branch"]),
  };
  const world = await startWorld({}, [event]);
  const main = await subscribe(world.app, { name: event.name, arguments: { repo: "r", branch: "main" } });
  const any = await subscribe(world.app, { name: event.name, arguments: { repo: "r" } });
  const emit = async (args: object, payload: object): Promise<string> =>
    (await world.app.post("/events/emit", { name: event.name, arguments: args, payload })).body.id;
  const byArgument = await emit({ repo: "r", branch: "main" }, {});
  const byPayload = await emit({ repo: "r" }, { branch: "main" });
  const other = await emit({ repo: "r" }, { branch: "dev" });
  const got = async (ticket: string): Promise<string[]> =>
    (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] })).body.wakes.map(
      (wake: any) => wake.occurrence,
    );
  expect(await got(main.ticket)).toEqual([byArgument, byPayload]);
  expect(await got(any.ticket)).toEqual([byArgument, byPayload, other]);
});

describe("optional arguments", () => {
  const event = {
    ...FREE,
    name: "build.done",
    arguments: {
      type: "object",
      properties: { repo: { type: "string" }, branch: {}, labels: { type: "object" } },
      required: ["repo"],
    },
  };
  const request = (args: object): Record<string, unknown> => ({ name: event.name, arguments: { repo: "r", ...args } });

  test("compare by value: types differ, the order of fields doesn't, nested values count whole, and what is nowhere matches nothing", async () => {
    const world = await startWorld({}, [event]);
    const filters = [{ branch: "1" }, { branch: 1 }, { branch: null }, { branch: true }, { labels: { a: 1, b: { c: [1, 2] } } }, {}];
    const made = await Promise.all(filters.map((filter) => subscribe(world.app, request(filter))));
    const payloads = [
      { branch: "1" },
      { branch: 1.0 },
      { branch: null },
      { branch: true },
      { labels: { b: { c: [1, 2] }, a: 1 } },
      { labels: { a: 1 } },
      { labels: { a: 1, b: { c: [2, 1] } } },
      { deeper: { branch: "1" } },
      {},
    ];
    const ids: string[] = [];
    for (const payload of payloads) ids.push(await emit(world.app, { ...request({}), payload }));
    const got = async ({ ticket }: { readonly ticket: string }): Promise<number[]> =>
      (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] })).body.wakes.map((wake: any) =>
        ids.indexOf(wake.occurrence),
      );
    const all = [...payloads.keys()];
    expect(await Promise.all(made.map(got))).toEqual([[0], [1], [2], [3], [4], all]);
  });

  test("count in a replay: the newest occurrence that passes them is the one that is replayed (seed-125)", async () => {
    const world = await startWorld({}, [event]);
    for (const branch of ["main", "dev", undefined]) await emit(world.app, { ...request({}), payload: { branch }, id: `on-${branch}` });
    const replayed = async (filter: object): Promise<string[]> => {
      const { ticket } = await subscribe(world.app, { ...request(filter), replay_ms: 60_000, once: true });
      const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] });
      return body.wakes.map((wake: any) => wake.occurrence);
    };
    expect([
      await replayed({ branch: "main" }),
      await replayed({ branch: "dev" }),
      await replayed({ branch: "x" }),
      await replayed({}),
    ]).toEqual([["on-main"], ["on-dev"], [], ["on-undefined"]]);
  });

  test("matched counts subscriptions before they are looked at", async () => {
    const world = await startWorld({}, [event]);
    const made = await subscribe(world.app, request({ branch: "main" }));
    const { body } = await world.app.post("/events/emit", { ...request({}), payload: { branch: "dev" } });
    expect(body.matched).toBe(1);
    expect((await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [made.ticket] })).body.wakes).toEqual([]);
  });
});

describe("to is enforced by the core, whatever an SDK lets through", () => {
  const mine = { ...CRAWL, name: "my.event", access: ["personal"] };
  const emitTo = async (world: CoreWorld, name: string, to: unknown): Promise<any> =>
    (
      await world.app.post("/events/emit", {
        name,
        arguments: { job: "a" },
        payload: { status: "done" },
        ...(to === undefined ? {} : { to }),
      })
    ).body;

  test("a personal emit names somebody, a shared one nobody (seed-210, PC-45)", async () => {
    const world = await startWorld({}, [CRAWL, mine]);
    for (const to of [undefined, null, "", " ", "\t", [], [""], ["ada", " "]])
      expect((await emitTo(world, mine.name, to)).error.code).toBe("to_required");
    for (const to of [5, [5], [null], { user: "ada" }]) expect((await emitTo(world, mine.name, to)).error.code).toBe("bad_request");
    for (const to of ["ada", ["ada"], ""]) expect((await emitTo(world, CRAWL.name, to)).error.code).toBe("to_refused");
    expect(await emitTo(world, mine.name, ["ada", "ada"])).toMatchObject({ matched: 0, duplicate: false });
  });

  test("a personal event reaches the user whose call subscribed and no other, also where the arguments name one (seed-209, seed-211, seed-212, seed-213)", async () => {
    const byUser = { ...mine, arguments: objectSchema({ user: { type: "string" } }) };
    const world = await startWorld({}, [byUser]);
    const request = { name: mine.name, arguments: { user: "ada" } };
    for (const user of [undefined, "", " "]) {
      const refused = await trySubscribe(world.app, mine.name, request, user === undefined ? {} : { user });
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "user_required" } } });
    }
    const [ada, bob] = [await subscribe(world.app, request, { user: "ada" }), await subscribe(world.app, request, { user: "bob" })];
    const emitted = await world.app.post("/events/emit", { ...request, payload: { status: "done" }, to: "ada" });
    expect(emitted.body.matched).toBe(1);
    const wakes = async (ticket: string): Promise<number> =>
      (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] })).body.wakes.length;
    expect([await wakes(ada.ticket), await wakes(bob.ticket)]).toEqual([1, 0]);
  });
});

test("forgetting a user takes a user, and answers for one app alone", async () => {
  const world = await startWorld();
  const other = await world.addApp("Another");
  await other.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
  const made = await subscribe(world.app, {}, { user: "ada" });
  for (const body of [{}, { user: "" }, { user: " " }, { user: 5 }, { user: null }, { user: "x".repeat(1_025) }])
    expect((await world.app.post("/users/forget", body)).body.error.code).toBe("bad_request");
  expect((await other.post("/users/forget", { user: "ada" })).body).toEqual({ forgotten: false });
  expect((await world.app.post("/event-subscriptions/list", { user: "ada" })).body.subscriptions).toHaveLength(1);
  expect((await world.app.post("/users/forget", { user: "ada" })).body).toEqual({ forgotten: true });
  expect((await world.app.post("/event-subscriptions/list", { user: "ada" })).body.subscriptions).toEqual([]);
  expect((await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [made.ticket] })).body.ended).toMatchObject([
    { reason: "unknown" },
  ]);
});
