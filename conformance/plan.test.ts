import { describe, expect, test } from "vitest";
import { CHECKS } from "./all-checks.mjs";
import { LANGUAGES, planOf, readLists, type Check, type Lists } from "./plan.mjs";
import { EVERYWHERE, WAYS } from "./ways.mjs";

const rule = (id: string, over: { readonly due?: string; readonly languages?: readonly string[] } = {}) => ({
  id,
  statement: `${id} holds.`,
  due: "now",
  languages: LANGUAGES,
  ...over,
});

const LISTS: Lists = {
  checks: [
    { check: "first", rules: ["rule-1", "rule-2"] },
    { check: "second", rules: ["rule-3"], over: ["stdio", "stdio-modern"], slow: true },
    { check: "third", rules: ["beside-the-rules"], statement: "It holds too." },
  ],
  reasons: [{ rules: ["rule-4"], reason: "Shown elsewhere." }],
  requirements: [
    rule("rule-1"),
    rule("rule-2", { languages: ["go"] }),
    rule("rule-3", { languages: ["python", "go"] }),
    rule("rule-4"),
    rule("rule-5", { due: "later" }),
    rule("rule-6", { languages: ["typescript"] }),
  ],
};
const NAMES = ["first", "second", "third"];
const plan = (language: string, change: Partial<Lists> = {}, only?: readonly string[]) =>
  planOf({ language, only, names: NAMES, lists: { ...LISTS, ...change } });
const shown = (language: string, only?: readonly string[]) =>
  Object.fromEntries(plan(language, {}, only).map(({ check, rules }) => [check, rules.map(({ id }) => id)]));

describe("the plan of a conformance run", () => {
  test.each(LANGUAGES)("the lists of this repository agree for %s, and every check is planned with a rule and a way", (language) => {
    const planned = planOf({ language, names: Object.keys(CHECKS), lists: readLists() });
    for (const { check, over, rules } of planned) {
      expect(CHECKS).toHaveProperty(check, expect.any(Function));
      expect([over.length, rules.length], check).not.toContain(0);
      for (const { statement } of rules) expect(statement, check).not.toBe("");
    }
  });

  test("every way that a program may take is taken by ten checks at least", () => {
    const over = planOf({ language: "typescript", names: Object.keys(CHECKS), lists: readLists() }).flatMap((one) => one.over);
    for (const way of Object.keys(WAYS)) expect(over.filter((each) => each === way).length, way).toBeGreaterThanOrEqual(10);
  });

  test("takes for a language its rules only, and leaves out a check that shows it none", () => {
    expect(shown("typescript")).toEqual({ first: ["rule-1"], third: ["beside-the-rules"] });
    expect(shown("python")).toEqual({ first: ["rule-1"], second: ["rule-3"], third: ["beside-the-rules"] });
    expect(shown("go")).toEqual({ first: ["rule-1", "rule-2"], second: ["rule-3"], third: ["beside-the-rules"] });
  });

  test("gives each check its ways, the usual ones where it names none, and each rule its statement", () => {
    const [first, second, third] = plan("go");
    expect([first?.over, first?.slow, second?.over, second?.slow]).toEqual([EVERYWHERE, false, ["stdio", "stdio-modern"], true]);
    expect([first?.rules[0]?.statement, third?.rules[0]?.statement]).toEqual(["rule-1 holds.", "It holds too."]);
  });

  test("takes of some rules only those", () => {
    expect(shown("go", ["rule-2", "rule-3"])).toEqual({ first: ["rule-2"], second: ["rule-3"] });
  });

  test.each([
    ["a rule there isn't", "go", ["rule-1", "rule-9"], "No check shows rule-9 for go."],
    ["a rule of another language", "typescript", ["rule-3"], "No check shows rule-3 for typescript."],
    ["no rule at all", "go", [], "No check is left to run."],
  ])("refuses to run for %s", (_what, language, only, message) => {
    expect(() => plan(language, {}, only)).toThrow(message);
  });

  test("refuses a language there isn't", () => {
    expect(() => plan("cobol")).toThrow("--language takes one of typescript, python, go.");
  });

  const [first, second, third] = LISTS.checks as readonly [Check, Check, Check];
  test.each([
    ["a check that isn't listed", { checks: [first, second] }, "checks.json doesn't list the check third."],
    [
      "a listed check that isn't there",
      { checks: [...LISTS.checks, { ...first, check: "fourth" }] },
      "checks.json lists the check fourth, which isn't there.",
    ],
    ["a check listed twice", { checks: [...LISTS.checks, first] }, "checks.json lists the check first twice."],
    ["a check without a rule", { checks: [first, second, { ...third, rules: [] }] }, "The check third shows no rule."],
    ["a check without a way", { checks: [first, second, { ...third, over: [] }] }, "The check third is to run over no way."],
    [
      "a way there isn't",
      { checks: [first, second, { ...third, over: ["post"] }] },
      "The check third is to run over post, which is no way.",
    ],
    [
      "a way taken twice",
      { checks: [first, second, { ...third, over: ["stdio", "stdio"] }] },
      "The check third is to run over stdio twice.",
    ],
    ["a way nobody takes", { checks: [first, { ...second, over: ["stdio"] }, third] }, "No check runs over stdio-modern."],
    [
      "a rule there isn't, without a statement of its own",
      { checks: [first, second, { check: "third", rules: ["rule-9"] }] },
      "checks.json names rule-9, which is no rule.",
    ],
    ["a due rule of all languages without check or reason", { reasons: [] }, "rule-4 has neither a check in checks.json nor a reason"],
    [
      "a reason for a rule that isn't due",
      { reasons: [...LISTS.reasons, { rules: ["rule-5"], reason: "Later." }] },
      "reasons.json names rule-5, which is no due rule of all languages.",
    ],
    [
      "a reason for a rule of one language",
      { reasons: [...LISTS.reasons, { rules: ["rule-6"], reason: "Theirs." }] },
      "reasons.json names rule-6, which is no due rule of all languages.",
    ],
    [
      "a reason for a rule that has a check",
      { reasons: [...LISTS.reasons, { rules: ["rule-1"], reason: "Idle." }] },
      "reasons.json names rule-1, which has a check.",
    ],
    ["a reason given twice", { reasons: [...LISTS.reasons, ...LISTS.reasons] }, "reasons.json names rule-4 twice."],
  ])("refuses %s", (_what, change, message) => {
    expect(() => plan("go", change)).toThrow(message);
  });

  test("tells all faults at once", () => {
    expect(() => plan("go", { checks: [first, second], reasons: [] })).toThrow(/third\.\n[^]*rule-4/);
  });
});
