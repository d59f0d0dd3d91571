import { expect, test } from "vitest";
import { checkHookRun } from "./check-hook-run.ts";

const NOW = Date.parse("2026-01-02T00:00:00.000Z");
const MINUTE = 60_000;
const run = { at: new Date(NOW - 3 * MINUTE).toISOString(), version: "1.0.0", event: "Stop" };
const nothing = { run: undefined, setUpAt: undefined, lastTurn: undefined, now: NOW };

test("a hook that ran since set-up proves it, with when, which and as which version", () => {
  const proven = { program: "codex", check: "hook ran", ok: true, detail: "last 3 minutes ago: Stop, version 1.0.0", fix: "" };
  expect(checkHookRun("codex", { ...nothing, run, setUpAt: NOW - 10 * MINUTE })).toEqual(proven);
  expect(checkHookRun("codex", { ...nothing, run })).toEqual(proven);
});

test("a program that took a turn since set-up without running a hook is a failure, named with its restart", () => {
  const check = checkHookRun("codex", { ...nothing, setUpAt: NOW - 10 * MINUTE, lastTurn: NOW - 2 * MINUTE });
  expect(check).toMatchObject({ ok: false, fix: expect.stringContaining("start it again") });
  expect(check.detail).toContain("codex took a turn 2 minutes ago, but no hook of Wakeshift ran since it was set up 10 minutes ago");
  expect(checkHookRun("codex", { ...nothing, run, setUpAt: NOW - MINUTE, lastTurn: NOW - MINUTE / 2 }).ok).toBe(false);
});

test.each([
  ["the program took no turn since", { setUpAt: NOW - 10 * MINUTE, lastTurn: NOW - 20 * MINUTE }],
  ["its first turn may still run", { setUpAt: NOW - 10 * MINUTE, lastTurn: NOW - 1_000 }],
  ["it keeps no records of turns", { setUpAt: NOW - 10 * MINUTE }],
  ["an earlier version set it up", {}],
])("nothing is proven, and nothing is wrong, as long as %s", (_why, known) => {
  expect(checkHookRun("codex", { ...nothing, ...known })).toMatchObject({ ok: true, fix: expect.stringContaining("take a turn") });
});
