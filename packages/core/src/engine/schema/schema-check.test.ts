import { describe, expect, test } from "vitest";
import { compileSchema } from "./schema-check.ts";
import { judgeChecks } from "./judge-checks.ts";
import { isPlainSchema, plainSteps } from "./plain-steps.ts";

const crawl = {
  type: "object",
  properties: { status: { type: "string", enum: ["done", "failed"] } },
  required: ["status"],
  additionalProperties: false,
};

describe("compileSchema", () => {
  test("passes what matches and names the place and the keyword of what doesn't", () => {
    const check = compileSchema(crawl);
    expect(check({ status: "done" })).toBeUndefined();
    expect(check({})).toBe('"status" is missing');
    expect(check({ status: 5 })).toContain("/status");
    expect(check("no object")).toBe("it is a string, not an object");
  });

  test("never quotes the value it refuses", () => {
    const check = compileSchema({
      type: "object",
      properties: { status: { enum: ["done"] }, n: { type: "number", maximum: 3 }, s: { pattern: "^a$" } },
    });
    for (const value of [{ status: "s3cret-value" }, { n: 987_654 }, { s: "s3cret-value" }]) {
      expect(check(value)).not.toMatch(/s3cret|987654/);
    }
  });

  test("leaves the schema it is given as it was", () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } };
    const before = JSON.stringify(schema);
    const check = compileSchema(schema);
    expect(check({ a: 1 })).toBeDefined();
    expect(check({ a: "x" })).toBeUndefined();
    expect(JSON.stringify(schema)).toBe(before);
  });

  test.each([
    ["a reference to elsewhere", { type: "object", allOf: [{ $ref: "https://elsewhere.example/schema.json" }] }],
    ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["a reference to itself", { $ref: "#" }],
  ])("refuses %s", (_, schema) => {
    expect(() => compileSchema(schema)).toThrow();
  });
});

const CLOCK = { monotonic: () => performance.now(), cpu: () => performance.now() };

describe("judgeChecks", () => {
  const judge = (schema: object, ...values: unknown[]): ReturnType<typeof judgeChecks> =>
    judgeChecks({ checks: [{ schema: JSON.stringify(schema), values: JSON.stringify(values) }], budgetMs: 100 }, new Map(), CLOCK);

  test.each([
    [
      "a pattern that backtracks without end",
      { properties: { name: { type: "string", pattern: "^(a+)+$" } } },
      { name: `${"a".repeat(60)}!` },
    ],
    [
      "a comparison of very many items",
      { properties: { list: { type: "array", uniqueItems: true } } },
      { list: Array.from({ length: 60_000 }, (_, n) => ({ n })) },
    ],
  ])("breaks off %s, and gives what it had by then", (_, schema, value) => {
    const started = performance.now();
    expect(judge(schema, {}, value, {}).judgements).toEqual([{ faults: [null] }]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("spends one budget on all checks of a request", () => {
    const slow = { schema: '{"properties":{"name":{"pattern":"^(a+)+$"}}}', values: JSON.stringify([{ name: `${"a".repeat(60)}!` }]) };
    const { judgements } = judgeChecks({ checks: [slow, slow, slow], budgetMs: 50 }, new Map(), CLOCK);
    expect(judgements).toEqual([{ faults: [] }]);
  });

  test("takes a job up again that was broken off while the machine did other things", () => {
    let cpu = 0;
    const busy = { ...CLOCK, cpu: () => (cpu += 1) };
    const started = performance.now();
    const slow = { schema: '{"properties":{"name":{"pattern":"^(a+)+$"}}}', values: JSON.stringify([{ name: `${"a".repeat(60)}!` }]) };
    judgeChecks({ checks: [slow], budgetMs: 50 }, new Map(), busy);
    expect(performance.now() - started).toBeGreaterThan(100);
  });

  test("says of a schema that can't be used why", () => {
    expect(judge({ properties: { a: { pattern: "(" } } }, {}).judgements).toEqual([{ unusable: expect.stringContaining("(") as string }]);
  });
});

describe("assertCountable, through compileSchema", () => {
  test("refuses a few references that apply very many schemas to one value, and takes as many side by side", () => {
    const $defs: Record<string, object> = { s0: { type: "object" } };
    for (let level = 1; level <= 20; level += 1) {
      const below = { $ref: `#/$defs/s${level - 1}` };
      $defs[`s${level}`] = { allOf: [below, below] };
    }
    expect(() => compileSchema({ $defs, $ref: "#/$defs/s20" })).toThrow("applies more than");
    expect(() => compileSchema({ $defs, properties: { a: { $ref: "#/$defs/s20" } } })).toThrow("applies more than");
    expect(() => compileSchema({ $defs: { s0: {} }, anyOf: Array.from({ length: 4_000 }, () => ({ $ref: "#/$defs/s0" })) })).not.toThrow();
  });

  test("takes a tree that refers to itself, and refuses a schema that does so for one value", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
    expect(compileSchema(tree)({ children: [{ children: [] }] })).toBeUndefined();
    expect(() => compileSchema({ $defs: { a: { not: { $ref: "#/$defs/a" } } }, $ref: "#/$defs/a" })).toThrow("refers to itself");
  });
});

describe("plain schemas", () => {
  test("are told from those whose cost can't be counted", () => {
    expect(isPlainSchema(crawl)).toBe(true);
    expect(isPlainSchema({ properties: { pattern: { type: "string" } } })).toBe(true);
    expect(isPlainSchema({ properties: { a: { pattern: "x" } } })).toBe(false);
    expect(isPlainSchema({ anyOf: [{ type: "string" }, { uniqueItems: true }] })).toBe(false);
    expect(isPlainSchema({ enum: ["x", 1, null] })).toBe(true);
    expect(isPlainSchema({ enum: [{ pattern: "x" }] })).toBe(false);
    expect(isPlainSchema({ $id: "https://a.example/", type: "object" })).toBe(false);
  });

  test.each([
    [
      "each constant for each item",
      { items: { anyOf: Array.from({ length: 100 }, (_, n) => ({ const: n })) } },
      Array(100).fill(99),
      10_000,
    ],
    ["each item of a list of allowed ones", { items: { enum: Array.from({ length: 100 }, (_, n) => n) } }, Array(100).fill(99), 10_000],
    [
      "each property, named or not",
      { additionalProperties: { type: "string" } },
      Object.fromEntries(Object.entries("x".repeat(5_000))),
      5_000,
    ],
    ["the length of texts", { type: "string", maxLength: 5 }, "x".repeat(64_000), 1_000],
  ])("count %s", (_, schema, value, least) => {
    expect(plainSteps(schema, value, 1_000_000)).toBeGreaterThanOrEqual(least);
    expect(plainSteps(schema, value, 500)).toBeGreaterThan(500);
  });

  test("count a usual payload as a few steps", () => {
    expect(plainSteps(crawl, { status: "done" }, 1_000)).toBeLessThan(10);
  });
});
