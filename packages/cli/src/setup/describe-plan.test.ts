import { describe, expect, test } from "vitest";
import { describePlan } from "./describe-plan.ts";

describe("a plan as it is shown before the yes", () => {
  test("shows changed lines, new files, removals and steps", () => {
    const text = describePlan({
      program: "codex",
      files: [
        { path: "/h/config.toml", before: 'model = "x"\n', after: 'model = "x"\n[hooks]\n' },
        { path: "/h/new.json", before: undefined, after: "{}\n" },
        { path: "/h/old.json", before: "{}", after: undefined },
      ],
      steps: [{ description: "Trust the hook in Codex.", apply: () => Promise.resolve() }],
      notes: [],
    });
    expect(text).toBe(
      [
        "change /h/config.toml",
        "@@ -1,1 +1,2 @@",
        ' model = "x"',
        "+[hooks]",
        "new file /h/new.json",
        "+ {}",
        "remove /h/old.json",
        "then: Trust the hook in Codex.",
      ].join("\n"),
    );
  });

  test("a long new file is cut, and says so", () => {
    const after = Array.from({ length: 230 }, (_, line) => String(line)).join("\n");
    const text = describePlan({ program: "opencode", files: [{ path: "/p", before: undefined, after }], steps: [], notes: [] });
    expect(text.split("\n")).toHaveLength(152);
    expect(text).toContain("… 80 more lines");
  });
});
