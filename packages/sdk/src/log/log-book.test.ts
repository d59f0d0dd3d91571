import { afterEach, beforeEach, expect, test } from "vitest";
import { LogBook } from "./log-book.ts";
import type { LogEntry } from "./logger.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => process.on("unhandledRejection", note));
afterEach(() => {
  process.off("unhandledRejection", note);
  unhandled.length = 0;
});

/** Rejections that nobody handles are told once the microtasks are done, before the next turn of the loop. */
async function nextTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const fault = (): Error => new Error("the logger is down");
const FAILING: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw fault();
  },
  "throws undefined": () => {
    throw undefined as unknown as Error;
  },
  "answers a promise that rejects": () => Promise.reject(fault()),
  "rejects later": async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw fault();
  },
  "answers something like a promise that rejects": () => ({
    then: (_taken: unknown, refused: (reason: unknown) => void): void => {
      refused(fault());
    },
  }),
  "answers something like a promise that throws": () => ({
    get then(): never {
      throw fault();
    },
  }),
};

test.each(Object.entries(FAILING))(
  "a logger that %s breaks neither the caller nor the process, and is told what comes next",
  async (_what, fail) => {
    const told: LogEntry[] = [];
    const book = new LogBook((entry) => {
      told.push(entry);
      return fail();
    });
    book.tell({ level: "warn", code: "a", message: "first" });
    book.tellOnce("x", { level: "warn", code: "b", message: "second" });
    book.tellOnce("x", { level: "warn", code: "b", message: "second" });
    expect(told.map((entry) => entry.code)).toEqual(["a", "b"]);
    await nextTurn();
    await nextTurn();
    expect(unhandled).toEqual([]);
  },
);
