import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readHookInput } from "./read-input.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Ends the pending reads of a stream, whose events come in later turns. */
async function passed(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

test("takes an input in pieces, with pauses as long as a machine or a program that stands still makes", async () => {
  const stdin = new PassThrough();
  const reading = readHookInput(stdin);
  await passed(20_000);
  stdin.write('{"session');
  await passed(20_000);
  stdin.write('_id":"a"}');
  stdin.end();
  await passed(1);
  expect(await reading).toEqual({ input: { session_id: "a" } });
});

test("takes a whole input of a program that keeps its end open", async () => {
  const stdin = new PassThrough();
  const reading = readHookInput(stdin);
  stdin.write('{"session_id":"a"}');
  await passed(3_000);
  expect(await reading).toEqual({ input: { session_id: "a" } });
});

test.each([
  ["", { input: undefined }],
  ['{"session_id":', { input: undefined, broken: "cut off" }],
])("waits a bounded time for one that doesn't end: %j", async (text, expected) => {
  const stdin = new PassThrough();
  const reading = readHookInput(stdin);
  stdin.write(text);
  await passed(60_000);
  expect(await reading).toEqual(expected);
});

test.each([
  ["", { input: undefined }],
  ["{", { input: undefined, broken: "not JSON" }],
  ["x".repeat(17_000_000), { input: undefined, broken: "too long" }],
])("says what is wrong with an input of no use (%#)", async (text, expected) => {
  const stdin = new PassThrough();
  const reading = readHookInput(stdin);
  stdin.end(text);
  await passed(1);
  expect(await reading).toEqual(expected);
});

test("reads nothing from a terminal", async () => {
  expect(await readHookInput(Object.assign(new PassThrough(), { isTTY: true }))).toEqual({ input: undefined });
});
