import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, CRAWL, emit, objectSchema, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld, Subscribed } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

/** As the SDKs from before the access rule publish: no `sdk`, no `access`, topics instead. */
const OLD = [
  { ...CRAWL, topic: "ev/crawl.finished/{job}" },
  {
    name: "game.turn",
    description: "Your move",
    arguments: objectSchema({ table: { type: "string" } }),
    payload: { type: "object" },
    topic: "ev/game.turn/{table}",
    personal: true,
  },
];
const TURN_OLD = OLD[1] as Record<string, unknown>;
const HOLDER = "holder-of-this-test";

async function publish(world: CoreWorld, events: readonly object[], sdk: object | undefined = SDK): Promise<any> {
  const { status, body } = await world.app.call("PUT", "/manifest", sdk === undefined ? { events } : { sdk, events });
  expect(status).toBe(200);
  return body;
}

const publishOld = (world: CoreWorld): Promise<any> => world.app.call("PUT", "/manifest", { events: OLD }).then(({ body }) => body);

const bySubscribeEvents = (world: CoreWorld, job: string, call: object = {}): Promise<Subscribed> =>
  subscribe(world.app, { arguments: { job } }, { tool: "subscribe_events", ...call });

async function next(world: CoreWorld, ticket: string, waitMs = 0): Promise<any> {
  return (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: waitMs })).body;
}

async function changes(world: CoreWorld): Promise<any[]> {
  const { body } = await world.fetchJson("GET", "/api/admin/v1/apps/Crawler/access-changes", undefined, {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
  });
  return body.access_changes;
}

describe("upgrading from an SDK older than the access rule", () => {
  test("until then every path is open, as before, also for later publishes of the older SDK (seed-272)", async () => {
    const world = await startWorld({}, []);
    for (let publishes = 0; publishes < 2; publishes += 1) {
      expect(await publishOld(world)).toMatchObject({ closed: [] });
      const args = { arguments: { job: `j${publishes}` } };
      const made = [
        await bySubscribeEvents(world, `j${publishes}`),
        await subscribe(world.app, args),
        await subscribe(world.app, args, { tool: "a_tool_it_never_named" }),
        await subscribe(world.app, { ...args, via: "subscribe_events" }, { tool: "subscribe_events", user: "ada" }),
      ];
      const occurrence = await emit(world.app, args);
      for (const { ticket } of made) expect((await next(world, ticket)).wakes).toMatchObject([{ occurrence }]);
      const native = { call: { client: "c", tool: "events/subscribe" }, name: CRAWL.name, ...args, via: "native" };
      // Open to it, were it served: not `not_open`.
      expect((await world.app.post("/event-subscriptions", native)).body.error.code).toBe("unsupported");
    }
    expect(await changes(world)).toEqual([]);
  });

  test("the first publish of a newer one closes what declares nothing, ends what subscribe_events made, and keeps what tools made (seed-273, seed-274, seed-276, seed-278)", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    const tool = await subscribe(world.app, { arguments: { job: "a" } });
    const others = [await bySubscribeEvents(world, "a"), await bySubscribeEvents(world, "a", { user: "ada" })];
    const [streamed] = others as [Subscribed, Subscribed];
    const stream = await (await WakeStream.open(world.url, HOLDER, [streamed.ticket, tool.ticket])).untilReady();
    expect(await publish(world, [CRAWL, { ...TURN_OLD, access: ["personal"] }])).toMatchObject({
      changed: true,
      closed: [{ name: CRAWL.name, ended: 2 }],
    });
    await stream.until(() => stream.of("ended").length > 0);
    expect(stream.of("ended")).toMatchObject([{ subscription: streamed.id, reason: "revoked" }]);
    const occurrence = await emit(world.app);
    expect(await stream.wakes()).toMatchObject([{ subscription: tool.id, occurrence }]);
    stream.close();
    for (const { ticket } of others) expect(await next(world, ticket)).toMatchObject({ wakes: [], ended: [{ reason: "revoked" }] });
    const again = await world.app.post("/event-subscriptions", {
      call: { client: "c", tool: "subscribe_events" },
      name: CRAWL.name,
      arguments: { job: "a" },
    });
    expect(again.body.error.code).toBe("not_open");
    expect((await subscribe(world.app, {}, { session: tool.session })).id).toBe(tool.id);
  });

  test("only tools had subscribed: it says 0, and nothing ends (seed-276, seed-277, seed-278)", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    const tool = await subscribe(world.app);
    expect((await publish(world, [CRAWL])).closed).toEqual([{ name: CRAWL.name, ended: 0 }]);
    const occurrence = await emit(world.app);
    expect(await next(world, tool.ticket)).toMatchObject({ ended: [], wakes: [{ occurrence }] });
  });

  test("an event that declares authorize or public before the deploy stays open, with its subscriptions (seed-280)", async () => {
    for (const access of [["authorize"], ["public"]]) {
      const world = await startWorld({}, []);
      await publishOld(world);
      const kept = await bySubscribeEvents(world, "a");
      expect((await publish(world, [{ ...CRAWL, access }])).closed).toEqual([]);
      const occurrence = await emit(world.app);
      expect((await next(world, kept.ticket)).wakes).toMatchObject([{ occurrence }]);
      expect(await changes(world)).toMatchObject([{ event: CRAWL.name, before: null, after: access, sdk: "typescript 0.11.0", ended: 0 }]);
    }
  });

  test("one that declares personal ends nobody; subscriptions made while it was shared are stranded, and who subscribes anew is woken (seed-211, seed-213, seed-280)", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    const [ada, bob, nobody] = [
      await bySubscribeEvents(world, "a", { user: "ada" }),
      await subscribe(world.app, {}, { user: "bob" }),
      await subscribe(world.app),
    ];
    const before = await emit(world.app);
    const personal = [{ ...CRAWL, access: ["personal"] }];
    expect(await publish(world, personal)).toMatchObject({ closed: [], stranded: [{ name: CRAWL.name, live: 3 }] });
    expect(await emit(world.app, { to: "ada" })).toBeDefined();
    for (const { ticket } of [ada, bob, nobody])
      expect(await next(world, ticket)).toMatchObject({ wakes: [{ occurrence: before }], ended: [] });
    const anew = await bySubscribeEvents(world, "a", { user: "ada" });
    const hers = await emit(world.app, { to: "ada" });
    expect((await next(world, anew.ticket)).wakes).toMatchObject([{ occurrence: hers }]);
  });

  test("a personal event that declares nothing any more closes; its tools' subscriptions are kept, and get what was emitted to their user", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    const request = { name: "game.turn", arguments: { table: "t" } };
    const ada = await subscribe(world.app, request, { user: "ada" });
    const generic = await subscribe(world.app, request, { user: "ada", tool: "subscribe_events" });
    const before = await emit(world.app, { ...request, payload: {}, to: ["ada", "bob"] });
    const { personal: _, ...shared } = TURN_OLD;
    const answer = await publish(world, [shared]);
    expect(answer).toMatchObject({ closed: [{ name: "game.turn", ended: 1 }], stranded: [{ name: "game.turn", live: 1 }] });
    await emit(world.app, { ...request, payload: {} });
    expect(await next(world, ada.ticket)).toMatchObject({ wakes: [{ occurrence: before }], ended: [] });
    expect((await next(world, generic.ticket)).ended).toMatchObject([{ reason: "revoked" }]);
  });

  test("reopening takes a newer SDK that declares it, and every change is on record (seed-281)", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    await publish(world, [CRAWL]);
    await publishOld(world);
    await publish(world, [{ ...CRAWL, access: ["public"] }], { language: "python", version: "0.9.9" });
    const refused = await world.app.post("/event-subscriptions", {
      call: { client: "c", tool: "subscribe_events" },
      name: CRAWL.name,
      arguments: { job: "a" },
    });
    expect(refused.body.error.code).toBe("not_open");
    for (const access of [["authorize"], [], ["public"], [], ["personal"]]) {
      const { closed } = await publish(world, [{ ...CRAWL, access }], { language: "typescript", version: "0.12.0" });
      expect(closed).toEqual(access.length === 0 ? [{ name: CRAWL.name, ended: 1 }] : []);
      if (access.length === 1) expect((await bySubscribeEvents(world, "a", { user: "ada" })).id).toMatch(/^sub_/);
    }
    const record = await changes(world);
    expect(record.map(({ event, before, after, sdk, ended }) => [event, before, after, sdk, ended])).toEqual([
      [CRAWL.name, [], ["personal"], "typescript 0.12.0", 0],
      [CRAWL.name, ["public"], [], "typescript 0.12.0", 1],
      [CRAWL.name, [], ["public"], "typescript 0.12.0", 0],
      [CRAWL.name, ["authorize"], [], "typescript 0.12.0", 1],
      [CRAWL.name, [], ["authorize"], "typescript 0.12.0", 0],
      [CRAWL.name, null, [], "typescript 0.11.0", 0],
    ]);
    expect(record.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 60_000)).toBe(true);
  });

  test.each([
    [{ language: "typescript", version: "0.10.9" }, false],
    [{ language: "typescript", version: "0.11.0" }, true],
    [{ language: "python", version: "0.9.9" }, false],
    [{ language: "python", version: "0.10.0" }, true],
    [{ language: "go", version: "v0.9.0" }, false],
    [{ language: "go", version: "v0.10.0" }, true],
    [{ language: "typescript", version: "1.0.0" }, true],
  ])("the rule begins with each SDK's first version of it: %j closes: %j (seed-271)", async (sdk, closes) => {
    const world = await startWorld({}, []);
    await publishOld(world);
    expect((await publish(world, [CRAWL], sdk)).closed).toEqual(closes ? [{ name: CRAWL.name, ended: 0 }] : []);
  });

  test("of many instances that publish at once, each is answered what closed, and it is on record once (seed-277)", async () => {
    const world = await startWorld({}, []);
    await publishOld(world);
    for (let n = 0; n < 3; n += 1) await bySubscribeEvents(world, `j${n}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => publish(world, [CRAWL])));
    for (const { closed } of answers) expect(closed).toEqual([{ name: CRAWL.name, ended: 3 }]);
    expect(await changes(world)).toHaveLength(1);
  });

  test("the record is the operator's alone, and knows no other app", async () => {
    const world = await startWorld({}, []);
    const path = (app: string): string => `/api/admin/v1/apps/${app}/access-changes`;
    expect((await world.fetchJson("GET", path("Crawler"))).status).toBe(401);
    const authorization = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    expect((await world.fetchJson("GET", path("nobody"), undefined, authorization)).status).toBe(404);
    await world.addApp("Other");
    await publishOld(world);
    await publish(world, [CRAWL]);
    expect((await world.fetchJson("GET", path("Other"), undefined, authorization)).body.access_changes).toEqual([]);
  });
});
