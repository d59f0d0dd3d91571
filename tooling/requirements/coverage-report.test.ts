import { expect, test } from "vitest";
import type { Proof } from "./cite.mjs";
import { coverageReport } from "./coverage-report.mjs";

const rule = (id: string, due: "now" | "later", languages: readonly string[] = ["typescript"]) => ({
  id,
  due,
  languages,
  statement: "It holds.",
});

const proof = (ran: readonly string[], elsewhere: readonly string[] = []): Proof => ({
  proven: new Map(ran.map((id) => [id, ["a.test.ts"]])),
  elsewhere: new Map(elsewhere.map((id) => [id, ["tests/agents/a.test.ts"]])),
  unproven: new Map(),
});

test("counts the rules due, and names those without a test and those not yet due, in runs", () => {
  const rules = [
    rule("seed-1", "now"),
    rule("seed-2", "now"),
    rule("seed-3", "later", ["go"]),
    rule("seed-4", "later"),
    rule("seed-5", "later", ["typescript", "go"]),
    rule("seed-6a", "later"),
    rule("PC-07", "later"),
  ];
  expect(coverageReport(rules, [rule("seed-2", "now"), rule("seed-4", "later")], proof(["seed-1"]))).toBe(
    "TypeScript rules proven by a test that ran and passed: 1 of 2 due\n  without one: seed-2\n  not yet due: seed-4…5, seed-6a, PC-07\n",
  );
});

test("says only how many where every rule is due and proved", () => {
  expect(coverageReport([rule("seed-1", "now")], [], proof(["seed-1"]))).toBe(
    "TypeScript rules proven by a test that ran and passed: 1 of 1 due\n",
  );
});

test("names the command that proves what this run didn't", () => {
  expect(coverageReport([rule("seed-1", "now"), rule("seed-2", "now")], [], proof(["seed-1"], ["seed-2"]))).toBe(
    "TypeScript rules proven by a test that ran and passed: 1 of 2 due\n  proven by npm run test:agents: seed-2\n",
  );
});
