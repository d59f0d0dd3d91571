import { expect, test, vi } from "vitest";
import { LogBook } from "../log/log-book.ts";
import type { LogEntry } from "../log/logger.ts";
import { tellListener } from "./subscription-hooks.ts";

test.each([
  [
    "throws",
    (): never => {
      throw new RangeError("x");
    },
  ],
  ["answers a promise that rejects", (): Promise<never> => Promise.reject(new RangeError("x"))],
])(
  "a listener that %s is logged by the error's type alone, also by a logger that fails itself, and leaves nothing unhandled",
  async (_what, listener) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const told: LogEntry[] = [];
    const failing = (entry: LogEntry): unknown => {
      told.push(entry);
      return Promise.reject(new Error("the logger is down"));
    };
    const log = new LogBook(failing);
    for (const name of ["onSubscribe", "onUnsubscribe"]) tellListener(listener, {}, log, name);
    await vi.waitFor(() => {
      expect(told).toHaveLength(2);
    }, 45_000);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(told).toMatchObject([
      { code: "on_subscribe_failed", message: "onSubscribe failed with RangeError; the subscription is unchanged." },
      { code: "on_subscribe_failed", message: "onUnsubscribe failed with RangeError; the subscription is unchanged." },
    ]);
    expect(unhandled).toEqual([]);
  },
);
