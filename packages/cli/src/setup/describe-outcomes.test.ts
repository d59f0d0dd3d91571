import { describe, expect, test } from "vitest";
import { describeOutcomes, type SetupOutcome } from "./describe-outcomes.ts";

const outcome = (program: string, result: SetupOutcome["result"]): SetupOutcome => ({
  program,
  result,
  files: [],
  notes: [],
  warnings: [],
});

describe("what became of several programs", () => {
  test("names those that failed, and what became of the others", () => {
    expect(describeOutcomes([outcome("codex", "failed"), outcome("claude-code", "done"), outcome("opencode", "not found")])).toBe(
      "Failed, for the reason above: codex. The others: claude-code: done, opencode: not found.",
    );
    expect(describeOutcomes([outcome("codex", "failed"), outcome("opencode", "failed")])).toBe(
      "Failed, for the reason above: codex, opencode.",
    );
  });

  test("says nothing where none failed, or where there was one only", () => {
    expect(describeOutcomes([outcome("codex", "done"), outcome("opencode", "declined")])).toBe("");
    expect(describeOutcomes([outcome("codex", "failed")])).toBe("");
  });
});
