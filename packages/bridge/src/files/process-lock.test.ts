import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./files.test.support.ts";
import { processTag } from "@wakeshift/programs/machine";
import { ProcessLock, readLock } from "./process-lock.ts";

/** Reads the file again and again: counts in 0 how often it was there and empty, in 1 how often it was there. */
const WATCH = `
  const { readFileSync } = require("node:fs");
  const { path, state } = require("node:worker_threads").workerData;
  for (;;) {
    try {
      const text = readFileSync(path, "utf8");
      Atomics.add(state, 1, 1);
      if (text === "") Atomics.add(state, 0, 1);
    } catch {}
  }
`;

const GONE = { pid: 4_194_303, hold: "x" };

describe("a lock that one process holds", () => {
  test("is held once, and free after its release", () => {
    const path = join(temporaryFolder(), "lock");
    const lock = ProcessLock.acquire(path);
    expect(lock?.isHeld()).toBe(true);
    expect(ProcessLock.acquire(path)).toBeUndefined();
    expect(readLock(path)?.pid).toBe(process.pid);
    lock?.release();
    expect(existsSync(path)).toBe(false);
    expect(ProcessLock.acquire(path)?.isHeld()).toBe(true);
  });

  test.each([
    ["a process that has ended", JSON.stringify(GONE)],
    ["a process whose id another has now", JSON.stringify({ pid: process.pid, tag: "another-boot:1", hold: "x" })],
    ["nobody: a crash cut it", '{"pid":'],
    ["nobody: it is empty", ""],
  ])("is taken over from %s", (_who, text) => {
    if (processTag(process.pid) === undefined && text.includes("another-boot")) return;
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, text);
    expect(ProcessLock.acquire(path)?.isHeld()).toBe(true);
    expect(readLock(path)?.pid).toBe(process.pid);
    expect(existsSync(`${path}.takeover`)).toBe(false);
  });

  test("names its holder from its first moment, so that no other start takes it for one that a crash left", async () => {
    const path = join(temporaryFolder(), "lock");
    const state = new Int32Array(new SharedArrayBuffer(8));
    const watcher = new Worker(WATCH, { eval: true, workerData: { path, state } });
    while (Atomics.load(state, 1) < 3_000) {
      ProcessLock.acquire(path)?.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await watcher.terminate();
    expect(Atomics.load(state, 0)).toBe(0);
  });

  test("waits for a takeover under way, and clears one that a crash left", () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, JSON.stringify(GONE));
    writeFileSync(`${path}.takeover`, "");
    expect(ProcessLock.acquire(path)).toBeUndefined();
    utimesSync(`${path}.takeover`, 1, 1);
    expect(ProcessLock.acquire(path)).toBeUndefined();
    expect(ProcessLock.acquire(path)?.isHeld()).toBe(true);
  });

  test("isn't held any more when its file is gone or another's, and a release then removes nothing", () => {
    const path = join(temporaryFolder(), "lock");
    const lock = ProcessLock.acquire(path);
    rmSync(path);
    expect(lock?.isHeld()).toBe(false);
    writeFileSync(path, JSON.stringify(GONE));
    lock?.release();
    expect(readFileSync(path, "utf8")).toBe(JSON.stringify(GONE));
  });
});
