import { describe, expect, test } from "vitest";
import type { SettingsPlan } from "@wakeshift/programs/setup";
import { describeDiff } from "./describe-diff.ts";
import { describePlan } from "./describe-plan.ts";

const PLAN: SettingsPlan = {
  program: "codex",
  purpose: "two hooks that call /h/bin/wakeshift",
  files: [
    { path: "/h/config.toml", before: 'model = "x"\n', after: 'model = "x"\n[hooks]\n' },
    { path: "/h/new.json", before: undefined, after: "{}\n" },
    { path: "/h/old.json", before: "{\n}\n", after: undefined },
  ],
  steps: [{ description: "Trust the hook in Codex.", apply: () => Promise.resolve([]) }],
  notes: [],
};

describe("what set-up would do", () => {
  test("in short: each file with its lines, what is added, the steps", () => {
    expect(describePlan(PLAN).split("\n")).toEqual([
      "  change /h/config.toml (1 line added, 0 removed)",
      "  new file /h/new.json (1 line)",
      "  remove /h/old.json (2 lines)",
      "  adds two hooks that call /h/bin/wakeshift",
      "  then: Trust the hook in Codex.",
    ]);
  });

  test("in short: a long file takes no more room than a short one, and a removal adds nothing", () => {
    const after = "x\n".repeat(444);
    const long: SettingsPlan = { ...PLAN, purpose: "", files: [{ path: "/p", before: undefined, after }], steps: [] };
    expect(describePlan(long)).toBe("  new file /p (444 lines)");
  });

  test("whole: every line of every file, and of what a program would write in a step", async () => {
    const preview = { path: "/h/config.toml", before: PLAN.files[0]?.after, after: 'model = "x"\n[hooks]\n[hooks.state]\n' };
    const steps: SettingsPlan["steps"] = [
      ...PLAN.steps,
      { description: "Trust it.", apply: () => Promise.resolve([]), preview: () => Promise.resolve([preview]) },
      { description: "Ask it.", apply: () => Promise.resolve([]), preview: () => Promise.reject(new Error("it is away")) },
    ];
    expect((await describeDiff({ ...PLAN, steps })).split("\n")).toEqual([
      "change /h/config.toml",
      "@@ -1,1 +1,2 @@",
      ' model = "x"',
      "+[hooks]",
      "new file /h/new.json",
      "+{}",
      "remove /h/old.json",
      "-{",
      "-}",
      "then: Trust the hook in Codex.",
      "then: Trust it.",
      "change /h/config.toml",
      "@@ -1,2 +1,3 @@",
      ' model = "x"',
      " [hooks]",
      "+[hooks.state]",
      "then: Ask it.",
      "(the lines it would write can't be shown: it is away)",
    ]);
  });
});
