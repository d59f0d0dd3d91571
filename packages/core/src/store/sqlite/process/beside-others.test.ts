import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { DAY, World } from "../../exercise/world.ts";
import { openTemporaryStore } from "../temporary-store.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";

async function setup(): Promise<{ world: World; path: string; child: (mode: string) => Child }> {
  const opened = await openTemporaryStore();
  const world = await World.open(() => Promise.resolve(opened));
  const children: Child[] = [];
  onTestFinished(async () => {
    for (const child of children) child.process.kill("SIGKILL");
    await Promise.all(children.map((child) => child.gone));
    await world.close();
  });
  const child = (mode: string): Child => {
    const started = startChild(mode, opened.path);
    children.push(started);
    return started;
  };
  return { world, path: opened.path, child };
}

/** Emits from 64 callers until told; answers the ids that were answered and the slowest latencies. */
function load(world: World, prefix: string, payload = '{"n":1}'): { stop: () => Promise<{ ids: string[]; p99: number }> } {
  const ids: string[] = [];
  const latencies: number[] = [];
  let running = true;
  let count = 0;
  const caller = async (): Promise<void> => {
    while (running) {
      const id = `${prefix}-${(count += 1)}`;
      const started = performance.now();
      await world.emit(id, { payload });
      latencies.push(performance.now() - started);
      ids.push(id);
    }
  };
  const callers = Promise.all(Array.from({ length: 64 }, caller));
  const stop = async (): Promise<{ ids: string[]; p99: number }> => {
    running = false;
    await callers;
    latencies.sort((a, b) => a - b);
    return { ids, p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0 };
  };
  return { stop };
}

function integrity(path: string): unknown {
  const database = new Database(path);
  try {
    return database.pragma("integrity_check", { simple: true });
  } finally {
    database.close();
  }
}

test("PC-36 while another process holds the write lock no emit fails, the event loop stays free, and all goes on by itself", async () => {
  const { world, path, child } = await setup();
  const subscribed = await world.subscribed();
  const emits = load(world, "e");
  const reader = child("hold-read");
  await reader.said(1);
  const writer = child("hold-write");
  await writer.said(1);

  let waited = false;
  const during = world.emit("during").then(() => (waited = true));
  // A blocked event loop would turn once in the seconds that a busy timeout takes, not every few milliseconds.
  for (let turn = 0; turn < 300; turn += 1) await pause(5);
  expect(waited).toBe(false);

  writer.process.stdin?.end();
  expect(await writer.gone).toBe(0);
  await during;
  reader.process.stdin?.end();
  expect(await reader.gone).toBe(0);
  const { ids } = await emits.stop();
  const offered: string[] = [];
  for (let claimed: readonly string[] = ["first"]; claimed.length > 0; offered.push(...claimed))
    claimed = await world.claim(subscribed, "t", 1_000);
  expect(offered.sort()).toEqual([...ids, "during"].sort());
  expect(integrity(path)).toBe("ok");
});

test("PC-36 a key made by another process under load is in force at once, and one revoked there as well", async () => {
  const { world, child } = await setup();
  const emits = load(world, "e");
  expect(await child("add-key").gone).toBe(0);
  expect(await world.store.findKey("kid-other")).toMatchObject({ name: "from another process", revokedAt: undefined });
  expect(await child("revoke-key").gone).toBe(0);
  expect((await world.store.findKey("kid-other"))?.revokedAt).toBeGreaterThan(0);
  await emits.stop();
});

test("PC-36 a second core on the same file is refused with a sentence that says what to do, and disturbs nothing", async () => {
  const { world, path, child } = await setup();
  const second = child("own");
  expect(await second.gone).toBe(1);
  expect(second.lines.join("\n")).toContain(`Another Wakeshift core is running on ${path}. Stop that one first`);
  await world.emit("e1");
  await world.store.close();
  const third = child("own");
  expect(await third.gone).toBe(0);
  expect(third.lines).toEqual(["opened"]);
});

test(
  "PC-37 the log that grew during a long read shrinks once emits go on slowly, and emits stay quick meanwhile",
  { timeout: 200_000 },
  async () => {
    const { world, path, child } = await setup();
    const size = (): number => statSync(`${path}-wal`).size;
    const payload = JSON.stringify({ text: "x".repeat(8_000) });
    const calm = load(world, "calm", payload);
    await pause(1_500);
    const before = (await calm.stop()).p99;

    const reader = child("hold-read");
    await reader.said(1);
    const emits = load(world, "e", payload);
    await expect.poll(size, { timeout: 60_000 }).toBeGreaterThan(48 * 1024 * 1024);
    const { p99 } = await emits.stop();

    reader.process.stdin?.end();
    await reader.gone;
    let slow = 0;
    const shrunk = async (): Promise<number> => {
      world.clock.advance(50);
      await world.emit(`slow-${(slow += 1)}`);
      return size();
    };
    await expect.poll(shrunk, { timeout: 60_000, interval: 50 }).toBeLessThanOrEqual(16 * 1024 * 1024);
    // Measured on both sides of the hold, so that a machine that got busier meanwhile isn't taken for our fault. The disease
    // this looks for made single reads last seconds.
    const calmAgain = load(world, "calm-again", payload);
    await pause(1_500);
    const baseline = Math.max(before, (await calmAgain.stop()).p99, 50);
    expect(p99).toBeLessThan(10 * baseline);
  },
);

test("PC-37 without any emit, housekeeping empties the log", { timeout: 200_000 }, async () => {
  const { world, path, child } = await setup();
  const size = (): number => statSync(`${path}-wal`).size;
  const reader = child("hold-read");
  await reader.said(1);
  const emits = load(world, "e", JSON.stringify({ text: "x".repeat(20_000) }));
  await expect.poll(size, { timeout: 60_000 }).toBeGreaterThan(40 * 1024 * 1024);
  await emits.stop();
  await world.store.prune(world.clock.now(), DAY);
  expect(size()).toBeGreaterThan(40 * 1024 * 1024);
  reader.process.stdin?.end();
  await reader.gone;
  const afterPrune = async (): Promise<number> => {
    world.clock.advance(5_000);
    await world.store.prune(world.clock.now(), DAY);
    return size();
  };
  await expect.poll(afterPrune, { timeout: 60_000, interval: 50 }).toBeLessThanOrEqual(16 * 1024 * 1024);
});
