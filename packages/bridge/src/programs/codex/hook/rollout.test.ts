import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newestTurnTrigger, occurrencesInTurns } from "./rollout.ts";

const rollout = readFileSync(new URL("captured/rollout-exec.jsonl", import.meta.url), "utf8");

test("tells how the newest turn was started", () => {
  expect(newestTurnTrigger(rollout)).toBe("exec");
  expect(newestTurnTrigger(`${rollout}{"payload":{"turn_attribution":{"turn_trigger":"user"}}}\n`)).toBe("user");
});

test("says nothing where the tail holds no start of a turn", () => {
  expect(newestTurnTrigger("")).toBeUndefined();
  expect(newestTurnTrigger('{"turn_trigger":"')).toBeUndefined();
});

test("finds an occurrence that a turn was given, in a hook's prompt too", () => {
  expect(occurrencesInTurns(rollout, ["evt_01"])).toEqual(["evt_01"]);
});

test("doesn't count what the model itself said as seen", () => {
  expect(occurrencesInTurns(rollout, ["evt_02", "evt_03"])).toEqual([]);
});

test("passes over a line that was cut or isn't JSON", () => {
  expect(occurrencesInTurns('er","content":[{"text":"evt_01"}]}}\nnull\n', ["evt_01"])).toEqual([]);
});
