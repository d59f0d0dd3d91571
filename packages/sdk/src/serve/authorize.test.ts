import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkArguments } from "../event/checked-arguments.ts";
import { createEventDefinition } from "../event/event-definition.ts";
import type { EventDefinition } from "../event/event-definition.ts";
import { LogBook } from "../log/log-book.ts";
import type { LogEntry } from "../log/logger.ts";
import { isAuthorized, subscriberOf } from "./authorize.ts";

const log: LogEntry[] = [];
const book = new LogBook((entry) => log.push(entry));
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => process.on("unhandledRejection", note));
afterEach(() => {
  vi.useRealTimers();
  process.off("unhandledRejection", note);
  log.length = 0;
  unhandled.length = 0;
});

const anyone = { client: "c", native: false, request: {} };
const subject = { args: { type: "object" }, payload: { type: "object" }, description: "CI finished" };

function gated(authorize: (() => unknown) | undefined): EventDefinition {
  return createEventDefinition("ci.finished", authorize === undefined ? subject : { ...subject, authorize: authorize as () => boolean });
}

const ask = async (authorize: (() => unknown) | undefined): Promise<boolean> =>
  isAuthorized(await checkArguments(gated(authorize), {}), anyone, book);

test("allows by true alone, at once or by a promise (seed-183, seed-204)", async () => {
  expect(await ask(() => true)).toBe(true);
  expect(await ask(async () => true)).toBe(true);
  expect(await ask(undefined)).toBe(true);
  for (const answer of [false, undefined, null, 1, "true", {}, []]) {
    expect(await ask(() => answer)).toBe(false);
    expect(await ask(async () => answer)).toBe(false);
  }
  expect(log).toEqual([]);
});

class DatabaseDown extends Error {
  override readonly name = "DatabaseDown";
}

test.each([
  ["an error", new DatabaseDown("postgres://user:hunter2@db"), "DatabaseDown"],
  ["a text", "hunter2", "string"],
  ["nothing", undefined, "undefined"],
])("a throw of %s refuses, at once or later, and is logged by its type alone (seed-198, seed-201)", async (_what, thrown, type) => {
  const failing = (): never => {
    throw thrown as Error;
  };
  expect(await ask(failing)).toBe(false);
  expect(await ask(async () => failing())).toBe(false);
  expect(log).toEqual(
    [0, 1].map(() => ({
      level: "warn",
      code: "authorize_failed",
      event: "ci.finished",
      error: type,
      message: expect.any(String) as string,
    })),
  );
  expect(JSON.stringify(log)).not.toContain("hunter2");
});

test("a run over 10 seconds refuses and is logged; what it answers or throws later changes nothing (seed-200, seed-201)", async () => {
  vi.useFakeTimers();
  let answer: (allowed: boolean) => void = () => undefined;
  let fail: (reason: Error) => void = () => undefined;
  const runs = [
    ask(() => new Promise<boolean>((resolve) => (answer = resolve))),
    ask(() => new Promise<boolean>((_resolve, reject) => (fail = reject))),
  ];
  const done: boolean[] = [];
  for (const run of runs) void run.then((allowed) => done.push(allowed));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual([false, false]);
  expect(log.map(({ code, error }) => [code, error])).toEqual([
    ["authorize_failed", "TimeoutError"],
    ["authorize_failed", "TimeoutError"],
  ]);
  vi.useRealTimers();
  answer(true);
  fail(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([done, unhandled, log.length]).toEqual([[false, false], [], 2]);
});

test("one that answers just in time decides, and leaves no timer behind (seed-200)", async () => {
  vi.useFakeTimers();
  const run = ask(() => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 9_999)));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(await run).toBe(true);
  expect([vi.getTimerCount(), log]).toEqual([0, []]);
});

test("the subscriber is told by user, verified token, request, client and native (seed-184, seed-189)", () => {
  const authInfo = { token: "t", clientId: "c", scopes: [] };
  const context = { http: { authInfo } };
  const seen = { tool: "subscribe_events", context, initialized: { name: "codex", capabilities: {} }, taken: {} };
  expect(subscriberOf(seen, { user: "ann" }, false)).toEqual({ user: "ann", authInfo, request: context, client: "codex", native: false });
  expect(subscriberOf({ ...seen, context: {} }, {}, true)).toEqual({ request: {}, client: "codex", native: true });
});
