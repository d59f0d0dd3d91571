import { describe, expect, test } from "vitest";
import { CRAWL, emit, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const HOLDER = "holder-of-this-test";

describe("one emit wakes one subscriber", () => {
  test("by stream: subscribe, emit, wake, ack; once ends with the ack", async () => {
    const world = await startWorld();
    const { id, ticket } = await subscribe(world.app, { once: true });
    const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
    await stream.untilReady();
    expect(stream.of("ready")).toMatchObject([{ tickets: 1, ping_ms: 15_000 }]);
    const answer = await world.app.post("/events/emit", {
      name: CRAWL.name,
      arguments: { job: "a" },
      payload: { status: "done" },
      text: "The crawl is done.",
    });
    expect(answer).toMatchObject({ status: 200, body: { matched: 1, duplicate: false } });
    const [wake] = await stream.wakes();
    expect(wake).toMatchObject({
      subscription: id,
      occurrence: answer.body.id,
      event: CRAWL.name,
      app: { id: world.appId, name: "Crawler" },
      arguments: { job: "a" },
      text: "The crawl is done.",
      payload: { status: "done" },
      once: true,
      lease_ms: 30_000,
    });
    expect(wake.ticket_id).toMatch(/^[0-9a-f]{16}$/);
    // The core's own word on what the ticket is good for.
    const { app, event, arguments: args, subscription, ticket_id } = wake;
    expect(stream.of("ready")).toMatchObject([{ live: [{ ticket_id, subscription, app, event, arguments: args }] }]);
    const ack = { holder: HOLDER, acks: [{ ticket, occurrence: wake.occurrence, state: "handed" }] };
    expect((await world.fetchJson("POST", "/api/wakes/v1/ack", ack)).body).toEqual({
      acks: [{ occurrence: wake.occurrence, result: "ok" }],
    });
    await stream.until(() => stream.of("ended").length > 0);
    expect(stream.of("ended")).toEqual([{ subscription: id, ticket_id: wake.ticket_id, reason: "delivered" }]);
    expect((await world.fetchJson("POST", "/api/wakes/v1/ack", ack)).body.acks[0].result).toBe("late");
    await emit(world.app);
    expect(stream.of("wake")).toHaveLength(1);
    stream.close();
  });

  test("by long poll: what is there comes at once, what isn't is waited for", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const empty = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] });
    expect(empty.body).toMatchObject({ wakes: [], ended: [] });
    const waiting = world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 20_000 });
    const id = await emit(world.app);
    const { body } = await waiting;
    expect(body.wakes.map((wake: { occurrence: string }) => wake.occurrence)).toEqual([id]);
  });

  test("arguments choose who is woken", async () => {
    const world = await startWorld();
    const a = await subscribe(world.app, { arguments: { job: "a" } });
    const b = await subscribe(world.app, { arguments: { job: "b" } });
    const streamA = await (await WakeStream.open(world.url, HOLDER, [a.ticket])).untilReady();
    const streamB = await (await WakeStream.open(world.url, HOLDER, [b.ticket])).untilReady();
    const idB = await emit(world.app, { arguments: { job: "b" } });
    const idA = await emit(world.app, { arguments: { job: "a" } });
    expect((await streamA.wakes()).map((wake) => wake.occurrence)).toEqual([idA]);
    expect((await streamB.wakes()).map((wake) => wake.occurrence)).toEqual([idB]);
    streamA.close();
    streamB.close();
  });

  test("an emit made before the bridge connected is there when it does", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const ids = [await emit(world.app), await emit(world.app)];
    const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
    expect((await stream.wakes(2)).map((wake) => wake.occurrence)).toEqual(ids);
    stream.close();
  });

  test("seed-119 an emit before anyone subscribed is delivered to nobody, unless replay reaches back", async () => {
    const world = await startWorld();
    const id = await emit(world.app);
    const without = await subscribe(world.app);
    const withReplay = await subscribe(world.app, { replay_ms: 60_000 });
    const stream = await WakeStream.open(world.url, HOLDER, [without.ticket, withReplay.ticket]);
    const [wake] = await stream.wakes();
    expect(wake).toMatchObject({ subscription: withReplay.id, occurrence: id });
    expect(stream.of("wake")).toHaveLength(1);
    stream.close();
  });
});

describe("the app API", () => {
  test("GET /app says which app a key is", async () => {
    const world = await startWorld();
    const { status, body } = await world.app.call("GET", "/app");
    expect(status).toBe(200);
    const core = { id: expect.stringMatching(/^core_[0-9a-f]{32}$/) as string, version: expect.any(String) as string };
    expect(body).toEqual({ id: world.appId, name: "Crawler", key: { key_id: world.app.keyId, name: "first key" }, core });
  });

  test("PUT /manifest is idempotent by content, and keeps events left out", async () => {
    const world = await startWorld();
    const again = await world.app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
    expect(again.body).toEqual({ events: 2, changed: false, closed: [] });
    const changed = await world.app.call("PUT", "/manifest", { sdk: SDK, events: [{ ...CRAWL, description: "Another" }] });
    expect(changed.body).toEqual({ events: 2, changed: true, closed: [] });
  });

  test("an emit with its author's id happens once", async () => {
    const world = await startWorld();
    await subscribe(world.app);
    const request = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" }, id: "job-a:done" };
    expect((await world.app.post("/events/emit", request)).body).toEqual({ id: "job-a:done", matched: 1, connected: 0, duplicate: false });
    expect((await world.app.post("/events/emit", request)).body).toEqual({ id: "job-a:done", matched: 1, connected: 0, duplicate: true });
    const odd = await world.app.post("/events/emit", { ...request, id: "über den Wolken" });
    expect(odd.body.id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect((await world.app.post("/events/emit", { ...request, id: "über den Wolken" })).body).toMatchObject({
      id: odd.body.id,
      duplicate: true,
    });
    const other = { ...request, arguments: { job: "b" } };
    expect(await world.app.post("/events/emit", other)).toMatchObject({ status: 409, body: { error: { code: "bad_request" } } });
  });

  test("an app that emits more than it may is told when to try again, and another app isn't held up", async () => {
    const world = await startWorld({ emitRate: { perSecond: 0.5, burst: 2 } });
    const other = await world.addApp("Another");
    await other.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
    await emit(world.app);
    await emit(world.app);
    const refused = await world.app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } });
    expect([refused.status, refused.body.error.code, refused.headers.get("retry-after")]).toEqual([429, "rate_limited", "2"]);
    await emit(other);
  });

  test("the addition says what is subscribed in text, structured part and meta, with the ticket in meta only", async () => {
    const world = await startWorld();
    const { body, ticket, session, id } = await subscribe(world.app, { once: true });
    expect(body.event_subscription).toMatchObject({ created: true, once: true });
    expect(body.agent).toEqual({ harness: "codex", via: "initialize" });
    const { text, structured, meta } = body.addition;
    expect(text.length).toBeLessThanOrEqual(900);
    expect(text).toContain("crawl.finished");
    expect(text).toContain(session);
    expect(text).not.toContain(ticket);
    expect(JSON.stringify(structured)).not.toContain(ticket);
    expect(structured).toMatchObject({
      state: "subscribed",
      id,
      event: CRAWL.name,
      arguments: { job: "a" },
      once: true,
      session_key: session,
    });
    expect(meta["ai.wakeshift/subscription"]).toEqual([
      {
        v: 1,
        core: world.url,
        coreId: expect.stringMatching(/^core_[0-9a-f]{32}$/) as string,
        ticket,
        id,
        event: CRAWL.name,
        arguments: { job: "a" },
        once: true,
        expiresAt: structured.expiresAt,
        tool: "start_crawl",
        app: { id: world.appId, name: "Crawler" },
      },
    ]);
  });

  test("the same conversation subscribing again renews; without its session key another subscription is made", async () => {
    const world = await startWorld();
    const first = await subscribe(world.app);
    const again = await subscribe(world.app, {}, { session: first.session });
    expect(again).toMatchObject({ id: first.id, session: first.session, body: { event_subscription: { created: false } } });
    expect(again.ticket).not.toBe(first.ticket);
    const other = await subscribe(world.app);
    expect(other.id).not.toBe(first.id);
    expect(other.session).not.toBe(first.session);
  });

  test("list, unsubscribe, end and end-matching", async () => {
    const world = await startWorld();
    const first = await subscribe(world.app, {}, { user: "ada" });
    const call = { client: "codex-mcp-client", user: "ada", session: first.session };
    await subscribe(world.app, { arguments: { job: "b" } }, call);
    await subscribe(world.app, { arguments: { job: "c" } }, call);
    const { body } = await world.app.post("/event-subscriptions/list", { call });
    expect(body.subscriptions).toHaveLength(3);
    expect(body.subscriptions[0]).toMatchObject({ event: CRAWL.name, destination: "bridge", once: false });
    expect((await world.app.post("/event-subscriptions/list", { user: "ada" })).body.subscriptions).toHaveLength(3);
    expect((await world.app.post("/event-subscriptions/unsubscribe", { call, name: CRAWL.name, arguments: { job: "a" } })).body).toEqual({
      ended: 1,
    });
    expect((await world.app.post("/event-subscriptions/unsubscribe", { call, name: CRAWL.name, arguments: { job: "a" } })).body).toEqual({
      ended: 0,
    });
    const [b] = (await world.app.post("/event-subscriptions/list", { call })).body.subscriptions;
    expect((await world.app.post("/event-subscriptions/end", { user: "ada", id: b.id })).body).toEqual({ ended: 1 });
    expect((await world.app.post("/event-subscriptions/end-matching", { user: "ada", event: CRAWL.name })).body).toEqual({ ended: 1 });
    expect((await world.app.post("/event-subscriptions/end-matching", {})).body.error.code).toBe("bad_request");
  });

  test("a once renewed while its wake is out: a taker that waits gets the next occurrence as soon as that wake is acked", async () => {
    const world = await startWorld();
    const wakes = async (path: string, body: object): Promise<any> =>
      (await world.fetchJson("POST", `/api/wakes/v1/${path}`, { holder: "holder-of-once", ...body })).body;
    const first = await subscribe(world.app, { once: true });
    const older = await emit(world.app);
    expect((await wakes("next", { tickets: [first.ticket], wait_ms: 5_000 })).wakes).toHaveLength(1);
    const renewed = await subscribe(world.app, { once: true }, { session: first.session });
    expect(renewed.id).toBe(first.id);
    const waiting = wakes("next", { tickets: [renewed.ticket], wait_ms: 20_000 });
    const newer = await emit(world.app);
    expect((await wakes("ack", { acks: [{ ticket: first.ticket, occurrence: older, state: "handed" }] })).acks).toMatchObject([
      { result: "ok" },
    ]);
    const { wakes: next } = await waiting;
    expect(next).toMatchObject([{ occurrence: newer }]);
    await wakes("ack", { acks: [{ ticket: renewed.ticket, occurrence: newer, state: "handed" }] });
    expect((await wakes("next", { tickets: [renewed.ticket] })).ended).toMatchObject([{ reason: "delivered" }]);
  });

  test("rollback ends what a call made, keeps what it renewed, and closes the call", async () => {
    const world = await startWorld();
    const kept = await subscribe(world.app);
    await subscribe(world.app, {}, { session: kept.session, call_id: "call-1" });
    await subscribe(world.app, { arguments: { job: "b" } }, { session: kept.session, call_id: "call-1" });
    expect((await world.app.post("/event-subscriptions/rollback", { call_id: "call-1" })).body).toEqual({ ended: 1 });
    const call = { client: "codex-mcp-client", session: kept.session };
    const { body } = await world.app.post("/event-subscriptions/list", { call });
    expect(body.subscriptions.map((one: { id: string }) => one.id)).toEqual([kept.id]);
    const late = await world.app.post("/event-subscriptions", {
      call: { ...call, tool: "start_crawl", call_id: "call-1" },
      name: CRAWL.name,
      arguments: { job: "c" },
    });
    expect(late).toMatchObject({ status: 400, body: { error: { code: "no_call" } } });
  });
});
