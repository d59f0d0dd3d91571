import { expect, test } from "vitest";
import { carriesToolArguments, takeArguments } from "./take-arguments.ts";

const NONE: ReadonlySet<string> = new Set();

test("takes ours out and leaves the author's as they are", () => {
  const args = { url: "u", deep: { session_key: "kept" }, session_key: "k", harness: "h", conversation_id: "c" };
  expect(takeArguments(args, NONE)).toEqual({
    args: { url: "u", deep: { session_key: "kept" } },
    taken: { session_key: "k", harness: "h", conversation_id: "c" },
  });
});

test("leaves what the tool declares itself", () => {
  expect(takeArguments({ session_key: "k", harness: "h" }, new Set(["session_key"]))).toEqual({
    args: { session_key: "k" },
    taken: { harness: "h" },
  });
});

test.each([[5], [null], [""], [{}], ["x".repeat(1_025)]])("takes out a value that tells nothing, without passing it on", (value) => {
  expect(takeArguments({ session_key: value }, NONE)).toEqual({ args: {}, taken: {} });
});

test("keeps a field named __proto__ a field", () => {
  const args = JSON.parse('{"__proto__":{"polluted":1},"harness":"h"}') as Record<string, unknown>;
  const { args: own } = takeArguments(args, NONE);
  expect(Object.keys(own)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(own)).toBe(Object.prototype);
});

test.each([[undefined], [null], ["session_key"], [["session_key"]], [{}], [{ other: 1 }]])("sees none of ours in %j", (args) => {
  expect(carriesToolArguments(args)).toBe(false);
});
