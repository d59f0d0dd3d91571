import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../exercise/manual-clock.ts";
import { World } from "../exercise/world.ts";
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

test("is not healthy while the disk takes nothing, with a reason without any secret, and is healthy again", async () => {
  const { world, database } = await setup();
  database.pragma("query_only = 1");
  const health = await world.store.health();
  expect(health.writable).toBe(false);
  expect(health.reason).toContain("The disk took no more data");
  database.pragma("query_only = 0");
  expect(await world.store.health()).toEqual({ writable: true });
});
