import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newestTurnTrigger, turnsHold } from "./rollout.ts";

const rollout = readFileSync(new URL("../captured/rollout-exec.jsonl", import.meta.url), "utf8");

test("tells how the newest turn was started", () => {
  expect(newestTurnTrigger(rollout)).toBe("exec");
  expect(newestTurnTrigger(`${rollout}{"payload":{"turn_attribution":{"turn_trigger":"user"}}}\n`)).toBe("user");
});

test("says nothing where the tail holds no start of a turn", () => {
  expect(newestTurnTrigger("")).toBeUndefined();
  expect(newestTurnTrigger('{"turn_trigger":"')).toBeUndefined();
});

test("finds an occurrence that a turn was given, in a hook's prompt too", () => {
  expect(turnsHold(rollout, { occurrences: ["evt_01"] })).toBe(true);
  expect(turnsHold(rollout, { occurrences: ["evt_01"], subscriptions: [["sub_1"]] })).toBe(true);
  expect(turnsHold(rollout, { occurrences: ["evt_01"], subscriptions: [["sub_2"]] })).toBe(false);
});

test("doesn't count a user's text that holds an id, such as the 42 that an author chose", () => {
  const text = "The answer is 42, and evt_01 as well: occurrence 42.";
  const line = { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text }] } };
  expect(turnsHold(JSON.stringify(line), { occurrences: ["42"] })).toBe(false);
});

test("doesn't count what the model itself said as seen", () => {
  for (const id of ["evt_02", "evt_03"]) expect(turnsHold(rollout, { occurrences: [id] })).toBe(false);
});

test("passes over a line that was cut or isn't JSON", () => {
  const heading = "[Wakeshift] a.b from A (app_1), occurrence evt_01, subscription sub_1";
  expect(turnsHold(`er","content":[{"text":"${heading}"}]}}\nnull\n`, { occurrences: ["evt_01"] })).toBe(false);
});
