import { describe, expect, test } from "vitest";
import { compileSchema } from "./schema-check.ts";
import { isSteady } from "./is-steady.ts";

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

  test("breaks off a pattern that backtracks without end", () => {
    const check = compileSchema({ type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } });
    const started = performance.now();
    expect(check({ name: `${"a".repeat(60)}!` })).toContain("takes longer");
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(check({ name: "aaa" })).toBeUndefined();
  });

  test("breaks off a comparison of very many items", () => {
    const check = compileSchema({ type: "object", properties: { list: { type: "array", uniqueItems: true } } });
    expect(check({ list: Array.from({ length: 60_000 }, (_, n) => ({ n })) })).toContain("takes longer");
  });

  test.each([
    ["a reference to elsewhere", { type: "object", allOf: [{ $ref: "https://elsewhere.example/schema.json" }] }],
    ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["a reference to itself", { $ref: "#" }],
  ])("refuses %s", (_, schema) => {
    expect(() => compileSchema(schema)).toThrow();
  });
});

describe("isSteady", () => {
  test("tells plain schemas from those that may take long", () => {
    expect(isSteady(crawl)).toBe(true);
    expect(isSteady({ properties: { pattern: { type: "string" } } })).toBe(true);
    expect(isSteady({ properties: { a: { pattern: "x" } } })).toBe(false);
    expect(isSteady({ anyOf: [{ type: "string" }, { uniqueItems: true }] })).toBe(false);
    expect(isSteady({ enum: [{ pattern: "x" }] })).toBe(true);
  });
});
