import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routeText } from "@wakeshift/protocol";
import type Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../exercise/manual-clock.ts";
import { event, put } from "../exercise/apps.ts";
import { HOLDER, HOUR, World, hashOf } from "../exercise/world.ts";
import { openDatabase } from "./file/open-database.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** A store whose database can be told how many pages it may have: beyond that, SQLite says that the disk is full. */
async function setup(): Promise<{ world: World; database: Database.Database; fill: () => void; makeRoom: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-full-"));
  const path = join(folder, "core.db");
  const database = openDatabase(path, 5);
  const clock = new ManualClock();
  const store = new SqliteStore({
    database,
    path,
    clock,
    leaseMs: 30_000,
    after: (_ms, work) => void setImmediate(work) as unknown as () => void,
    occurrencesPerApp: undefined,
    releaseOwnership: () => undefined,
  });
  const world = await World.open(() =>
    Promise.resolve({ store, clock, reopen: () => Promise.reject(new Error("not here")), close: () => store.close() }),
  );
  onTestFinished(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });
  const fill = (): void => void database.pragma(`max_page_count = ${String(database.pragma("page_count", { simple: true }))}`);
  const makeRoom = (): void => void database.pragma("max_page_count = 1000000");
  return { world, database, fill, makeRoom };
}

const BIG = { payload: JSON.stringify({ text: "x".repeat(50_000) }) };

test("a full disk refuses an emit with storage_full, keeps nothing of it, and goes on by itself once there is room", async () => {
  const { world, fill, makeRoom } = await setup();
  const subscribed = await world.subscribed();
  await world.emit("before");
  fill();
  await expect(world.emit("refused", BIG)).rejects.toMatchObject({ code: "storage_full", status: 503, retryable: true });
  makeRoom();
  expect((await world.emit("refused", BIG)).duplicate).toBe(false);
  expect(await world.claim(subscribed)).toEqual(["before", "refused"]);
});

test("on a full disk the neighbours of the same commit are refused too, each of them, and none is half there", async () => {
  const { world, fill, makeRoom } = await setup();
  const subscribed = await world.subscribed();
  fill();
  const results = await Promise.allSettled([world.emit("small"), world.emit("big", BIG), world.emit("small too")]);
  const answered = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []));
  makeRoom();
  expect(await world.claim(subscribed)).toEqual(answered);
  expect(results.filter((result) => result.status === "rejected").length).toBeGreaterThan(0);
});

test("reads, claims and release go on while the disk is full", async () => {
  const { world, fill } = await setup();
  const subscribed = await world.subscribed();
  await world.emit("e1");
  fill();
  await expect(world.emit("refused", BIG)).rejects.toMatchObject({ code: "storage_full" });
  expect(await world.claim(subscribed)).toEqual(["e1"]);
  await world.store.release("taker");
  expect((await world.resolve(subscribed.ticket)).kind).toBe("live");
});

test("an assertion used while the disk is full stays used", async () => {
  const { world, database, fill, makeRoom } = await setup();
  const expiresAt = world.clock.now() + 120_000;
  fill();
  expect(await world.store.claimJti("j", expiresAt)).toBe(true);
  await expect(world.emit("refused", BIG)).rejects.toMatchObject({ code: "storage_full" });
  expect(await world.store.claimJti("j", expiresAt)).toBe(false);
  makeRoom();
  await world.emit("e1");
  expect(database.prepare("SELECT count(*) FROM jtis WHERE jti = 'j'").pluck().get()).toBe(1);
});

test("after 10,000 requests that a full disk refused the next one costs no more than before, and all of them stay used", async () => {
  const { world, database, makeRoom } = await setup();
  let rows = 0;
  database.function("attempted", () => (rows += 1));
  database.exec("CREATE TEMP TRIGGER attempts AFTER INSERT ON main.jtis BEGIN SELECT attempted(); END");
  // Room for each assertion, and none for what its request says.
  database.pragma(`max_page_count = ${Number(database.pragma("page_count", { simple: true })) + 400}`);
  const large = { payload: JSON.stringify("x".repeat(3_000_000)) };
  const expiresAt = world.clock.now() + 120_000;
  const request = async (jti: string): Promise<number> => {
    rows = 0;
    expect(await world.store.claimJti(jti, expiresAt)).toBe(true);
    await expect(world.emit(jti, large)).rejects.toMatchObject({ code: "storage_full" });
    return rows;
  };
  const refuseMany = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 500)
      await Promise.all(Array.from({ length: 500 }, (_, k) => world.store.claimJti(`j${n + k}`, expiresAt)));
  };
  await refuseMany(0, 500);
  await request("first");
  const early = await request("early");
  for (let from = 500; from < 10_000; from += 500) {
    await refuseMany(from, from + 500);
    await request(`with ${from}`);
  }
  await request("last but one");
  expect(await request("last")).toBe(early);
  makeRoom();
  await world.emit("after");
  const written = database.prepare("SELECT count(*) FROM jtis").pluck();
  await expect.poll(() => written.get(), { timeout: 20_000 }).toBe(10_000 + 19 + 4);
  expect(await world.store.claimJti("j0", expiresAt)).toBe(false);
});

test("assertions that can't be written are refused beyond 100,000, and taken again once the first are expired", async () => {
  const { world, database, makeRoom } = await setup();
  database.pragma("query_only = 1");
  const expiresAt = world.clock.now() + 120_000;
  const claims = Array.from({ length: 100_000 }, (_, n) => world.store.claimJti(`j${n}`, expiresAt));
  expect((await Promise.all(claims)).every(Boolean)).toBe(true);
  await expect(world.store.claimJti("one more", expiresAt)).rejects.toMatchObject({ code: "storage_full", retryable: true });
  expect(await world.store.claimJti("j0", expiresAt)).toBe(false);
  await expect(world.emit("refused")).rejects.toMatchObject({ code: "storage_full" });
  world.clock.advance(121_000);
  expect(await world.store.claimJti("one more", expiresAt + 121_000)).toBe(true);
  database.pragma("query_only = 0");
  makeRoom();
  await world.emit("after");
  expect(database.prepare("SELECT count(*) FROM jtis WHERE jti = 'one more'").pluck().get()).toBe(1);
});

test("is not healthy while the disk takes nothing, with a reason without any secret, and is healthy again", async () => {
  const { world, database } = await setup();
  database.pragma("query_only = 1");
  const health = await world.store.health();
  expect(health).toMatchObject({ writable: false, failure: { code: "storage_full" } });
  database.pragma("query_only = 0");
  expect(await world.store.health()).toEqual({ writable: true });
});

test("what expires while the disk is full ends once there is room, with nothing else to expire after it", async () => {
  const { world, database, fill, makeRoom } = await setup();
  await world.subscribed({ expiresAt: world.clock.now() + HOUR });
  world.clock.advance(2 * HOUR);
  fill();
  await expect(world.emit("refused", BIG)).rejects.toMatchObject({ code: "storage_full" });
  makeRoom();
  expect((await world.emit("after")).matched).toBe(0);
  expect(database.prepare("SELECT count(*) FROM subscriptions WHERE ended_at IS NULL").pluck().get()).toBe(0);
});

const JOB = { type: "object", properties: { job: {} }, required: ["job"] };
const place = { app: "app_a", event: "a.one", required: { job: "1" } };
const routes = { shared: hashOf(routeText(place)), anna: hashOf(routeText({ ...place, user: "anna" })) };
const LONG = { description: "d".repeat(60_000) };
const refused = { code: "storage_full", status: 503, retryable: true };

/** Everything in the database but its own bookkeeping. */
function contents(database: Database.Database): string {
  const tables = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").pluck();
  const rows = tables.all().map((name) => [name, name === "meta" ? [] : database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all()]);
  return JSON.stringify(rows);
}

test.each<[string, (world: World) => Promise<unknown>, unknown]>([
  [
    "a publish",
    (world) => put(world, [event("a.one", { access: ["public"], argumentsSchema: JOB, ...LONG }), event("a.new", LONG)]),
    { changed: ["a.one", "a.new"], closed: [], stranded: [] },
  ],
  [
    "a closing",
    (world) => put(world, [event("a.one", { argumentsSchema: JOB, ...LONG })]),
    { changed: ["a.one"], closed: [{ name: "a.one", ended: 1 }], stranded: [] },
  ],
  [
    "a change to personal",
    (world) => put(world, [event("a.one", { access: ["personal"], argumentsSchema: JOB, ...LONG })]),
    { changed: ["a.one"], closed: [], stranded: [{ name: "a.one", live: 2 }] },
  ],
])("%s on a full disk is refused and changes nothing, and does all of it once there is room", async (_what, publish, done) => {
  const { world, database, fill, makeRoom } = await setup();
  await put(world, [event("a.one", { access: ["public"], argumentsSchema: JOB })]);
  const one = { event: "a.one", route: routes.shared, user: "anna" };
  const [tool, other] = [await world.subscribed(one), await world.subscribed({ ...one, via: "native" })];
  const before = contents(database);
  fill();
  for (let tries = 0; tries < 3; tries += 1) await expect(publish(world)).rejects.toMatchObject(refused);
  expect(contents(database)).toBe(before);
  for (const { ticket } of [tool, other]) expect((await world.resolve(ticket)).kind).toBe("live");
  makeRoom();
  expect(await publish(world)).toEqual(done);
  expect(await publish(world)).toEqual({ ...(done as object), changed: [] });
});

test("a closing whose ends the full disk holds up is in force, and goes on once there is room", async () => {
  const { world, database, fill, makeRoom } = await setup();
  await put(world, [event("a.one", { access: ["public"], argumentsSchema: JOB })]);
  const input = { event: "a.one", route: routes.shared, via: "native" } as const;
  await Promise.all(Array.from({ length: 2_100 }, () => world.subscribe(input)));
  const last = await world.subscribed(input);
  await world.emit("before", { event: "a.one", routes: [routes.shared] });
  expect(await put(world, [event("a.one", { argumentsSchema: JOB })])).toEqual({
    changed: ["a.one"],
    closed: [{ name: "a.one", ended: 2_101 }],
    stranded: [],
  });
  database.exec(
    "CREATE TABLE filling (a); CREATE TRIGGER fill AFTER UPDATE OF ended_at ON subscriptions BEGIN INSERT INTO filling VALUES (zeroblob(9000)); END",
  );
  fill();
  const { clock, store } = world;
  await expect(store.prune(clock.now(), HOUR)).rejects.toMatchObject(refused);
  // Its end isn't written yet, and yet it receives nothing.
  expect(await world.claim(last)).toEqual([]);
  expect((await world.resolve(last.ticket)).kind).toBe("ended");
  makeRoom();
  database.exec("DROP TRIGGER fill; DROP TABLE filling");
  while (await store.prune(clock.now(), HOUR));
  expect(await world.matched(routes.shared)).toBe(0);
});

test("forgetting a user, rolling a call back and taking a ticket on a full disk are refused or done, never half, and work once there is room", async () => {
  const { world, database, fill, makeRoom } = await setup();
  await put(world, [event("a.one", { access: ["personal"], argumentsSchema: JOB })]);
  const own = { event: "a.one", route: routes.anna, user: "anna" };
  const input = world.subscribeInput({ ...own, callId: "call-1" });
  await world.store.subscribe(input);
  const kept = await world.subscribed(own);
  await world.emit("anna's", { event: "a.one", routes: [routes.anna] });
  const before = contents(database);
  // Every write fails now, even one that would fit.
  database.pragma("query_only = 1");
  fill();
  await expect(world.resolve(input.ticketHash)).rejects.toMatchObject(refused);
  await expect(world.store.endByTickets([kept.ticket], HOLDER, world.clock.now())).rejects.toMatchObject(refused);
  await expect(world.ack(kept, "anna's")).rejects.toMatchObject(refused);
  await expect(world.store.rollbackCall("app_a", "call-1", world.clock.now())).rejects.toMatchObject(refused);
  await expect(world.store.forgetUser("app_a", "anna", world.clock.now())).rejects.toMatchObject(refused);
  expect(contents(database)).toBe(before);
  expect(await world.claim(kept)).toEqual(["anna's"]);
  database.pragma("query_only = 0");
  makeRoom();
  expect((await world.resolve(input.ticketHash)).kind).toBe("live");
  expect(await world.ack(kept, "anna's")).toBe("ok");
  expect(await world.store.rollbackCall("app_a", "call-1", world.clock.now())).toBe(1);
  expect(await world.store.forgetUser("app_a", "anna", world.clock.now())).toBe(true);
  expect(contents(database)).not.toContain("anna");
});
