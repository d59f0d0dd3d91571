import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { CommitQueue } from "./commit-queue.ts";
import type { Effects } from "./effects.ts";

interface Bundle {
  readonly queue: CommitQueue;
  readonly other: Database.Database;
  readonly commits: (readonly Effects[])[];
  /** What happened in this order, beginning with what followed the commit. */
  readonly order: string[];
  readonly refusals: WakeshiftError[];
  /** Answers each look at the file's place; throws where it is gone. */
  readonly place: { look: () => void };
  readonly elapse: (ms: number) => void;
  readonly add: (text: string) => Promise<unknown>;
  readonly stored: () => unknown[];
}

/** A queue on a file of its own, and another connection that sees only what is committed. */
function setup(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-queue-"));
  const path = join(folder, "queue.db");
  const database = new Database(path, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  database.exec("CREATE TABLE lines (text TEXT NOT NULL UNIQUE)");
  const other = new Database(path, { timeout: 0 });
  const insert = database.prepare("INSERT INTO lines VALUES (?)");
  const commits: (readonly Effects[])[] = [];
  const order: string[] = [];
  const refusals: WakeshiftError[] = [];
  const place = { look: (): void => undefined };
  let now = 0;
  const queue = new CommitQueue(database, {
    monotonic: () => now,
    after: (_delayMs, work) => {
      const timer = setTimeout(work, 1);
      return () => clearTimeout(timer);
    },
    prelude: () => undefined,
    assertInPlace: () => place.look(),
    refused: (failure) => refusals.push(failure),
    committed: (effects) => {
      commits.push(effects);
      const waking = effects.some(({ emitted }) => emitted.length > 0);
      if (waking) void Promise.resolve().then(() => process.nextTick(() => order.push("woken")));
      return waking;
    },
  });
  onTestFinished(() => {
    other.close();
    queue.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  return {
    queue,
    other,
    commits,
    order,
    refusals,
    place,
    elapse: (ms) => void (now += ms),
    add: (text) => queue.write(() => insert.run(text)),
    stored: () => other.prepare("SELECT text FROM lines ORDER BY rowid").pluck().all(),
  };
}

test("writes of one turn of the event loop share one commit, in the order asked, and are visible when they resolve", async () => {
  const { add, commits, stored } = setup();
  const seen = await Promise.all(["a", "b", "c"].map((text) => add(text).then(stored)));
  expect(seen).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
  expect(commits).toHaveLength(1);
});

test("those a commit wakes are written to before its writes resolve", async () => {
  const { queue, order } = setup();
  const waking = queue.write((effects) => {
    effects.emitted.push("route");
  });
  await Promise.all([waking.then(() => order.push("wake stored")), queue.write(() => undefined).then(() => order.push("other stored"))]);
  expect(order).toEqual(["woken", "wake stored", "other stored"]);
});

test("a write that fails is undone and rejects alone; what it meant to tell is not told", async () => {
  const { add, queue, commits, stored } = setup();
  const failing = queue.write((effects) => {
    effects.emitted.push("never");
    throw new WakeshiftError("bad_request", "no");
  });
  const half = queue.write(() => {
    throw new Error("after a half-done write");
  });
  const results = await Promise.allSettled([add("a"), failing, add("a"), half, add("b")]);
  expect(results.map((result) => (result.status === "rejected" ? (result.reason as WakeshiftError).code : "ok"))).toEqual([
    "ok",
    "bad_request",
    "internal",
    "internal",
    "ok",
  ]);
  expect(stored()).toEqual(["a", "b"]);
  expect(commits.flat().flatMap((effects) => effects.emitted)).toEqual([]);
});

test("more writes than one commit takes are committed in several, all in order", async () => {
  const { add, commits, stored } = setup();
  const texts = Array.from({ length: 1_200 }, (_, n) => `line ${n}`);
  await Promise.all(texts.map(add));
  expect(stored()).toEqual(texts);
  expect(commits).toHaveLength(3);
});

test("PC-36 writes wait in order while another connection holds the lock, and none fails", async () => {
  const { add, other, stored } = setup();
  other.exec("BEGIN IMMEDIATE");
  let settled = 0;
  const writes = Promise.all(["a", "b"].map((text) => add(text).finally(() => (settled += 1))));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const late = add("c");
  expect(settled).toBe(0);
  other.exec("COMMIT");
  await Promise.all([writes, late]);
  expect(stored()).toEqual(["a", "b", "c"]);
});

test("a lock held for more than a minute fails what waits, and the next write goes through once it is gone", async () => {
  const { add, other, elapse, stored } = setup();
  other.exec("BEGIN IMMEDIATE");
  const write = add("a");
  const failed = expect(write).rejects.toMatchObject({ code: "internal", retryable: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  elapse(60_001);
  await failed;
  other.exec("COMMIT");
  await add("b");
  expect(stored()).toEqual(["b"]);
});

test("closing commits what waits and refuses what comes after", async () => {
  const { add, queue, stored } = setup();
  const write = add("a");
  queue.close();
  await write;
  expect(stored()).toEqual(["a"]);
  await expect(add("b")).rejects.toMatchObject({ code: "internal" });
});

const gone = (): never => {
  throw new WakeshiftError("storage_gone", "gone");
};

test("while the file is gone each write is refused, nothing of it is written, and the next goes through once it is back", async () => {
  const { add, place, refusals, stored } = setup();
  place.look = gone;
  const results = await Promise.allSettled([add("a"), add("b")]);
  expect(results).toMatchObject([{ reason: { code: "storage_gone" } }, { reason: { code: "storage_gone" } }]);
  expect([refusals.map(({ code }) => code), stored()]).toEqual([["storage_gone"], []]);
  place.look = () => undefined;
  await add("c");
  expect(stored()).toEqual(["c"]);
});

test("writes during whose commit the file goes away are refused, since what they wrote is in no file that a path leads to", async () => {
  const { add, place, refusals } = setup();
  let looks = 0;
  place.look = () => ((looks += 1) > 1 ? gone() : undefined);
  const results = await Promise.allSettled([add("a"), add("b")]);
  expect(results).toMatchObject([{ reason: { code: "storage_gone" } }, { reason: { code: "storage_gone" } }]);
  expect(refusals).toHaveLength(1);
});
