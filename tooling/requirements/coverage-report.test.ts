import { expect, test } from "vitest";
import { coverageReport } from "./coverage-report.mjs";

const rule = (id: string, due: "now" | "later", languages: readonly string[] = ["typescript"]) => ({
  id,
  due,
  languages,
  statement: "It holds.",
});

test("counts the rules due, and names those without a test and those not yet due, in runs", () => {
  const rules = [
    rule("seed-1", "now"),
    rule("seed-2", "now"),
    rule("seed-3", "later", ["go"]),
    rule("seed-4", "later"),
    rule("seed-5", "later", ["typescript", "go"]),
    rule("PC-07", "later"),
  ];
  expect(coverageReport(rules, [rule("seed-2", "now"), rule("seed-4", "later")])).toBe(
    "TypeScript rules with a citing test: 1 of 2 due\n  without one: seed-2\n  not yet due: seed-4…5, PC-07\n",
  );
});

test("says only how many where every rule is due and proved", () => {
  expect(coverageReport([rule("seed-1", "now")], [])).toBe("TypeScript rules with a citing test: 1 of 1 due\n");
});
