import { describe, expect, test } from "vitest";
import { KnownSchema } from "./known-schema.ts";
import { hasLongPatterns } from "./long-patterns.ts";

const COSTLY = { type: "object", properties: { p: { type: "string", pattern: `(?:${"[\\p{L}\\p{N}]".repeat(1_000)})` } } };

describe("patterns that may take long to compile", () => {
  test.each<[string, unknown]>([
    ["a long one", { pattern: "a".repeat(257) }],
    ["many short ones", { properties: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`p${n}`, { pattern: "a".repeat(30) }])) }],
    ["a class of Unicode characters", { anyOf: [{}, { items: { pattern: "^\\p{L}+$" } }] }],
    ["the contrary of one", { pattern: "\\P{L}" }],
    ["names of patternProperties", { patternProperties: { ["a".repeat(257)]: {} } }],
  ])("are %s", (_what, schema) => {
    expect(hasLongPatterns(schema)).toBe(true);
  });

  test.each<[string, unknown]>([
    ["short ones", { properties: { a: { pattern: "^[a-z]{1,40}$" } }, patternProperties: { "^x-": {} } }],
    ["the author's data", { enum: ["\\p{L}"], const: { pattern: "a".repeat(300) }, default: "\\p" }],
    ["a property of that name", { properties: { pattern: { type: "string" } } }],
    ["none", true],
  ])("aren't %s", (_what, schema) => {
    expect(hasLongPatterns(schema)).toBe(false);
  });

  test("are never compiled on the event loop, where their compilation couldn't be broken off", () => {
    const compiled: string[] = [];
    const original = globalThis.RegExp;
    class Watched extends original {
      constructor(pattern: string, flags?: string) {
        super(pattern, flags);
        compiled.push(pattern);
      }
    }
    globalThis.RegExp = Watched as RegExpConstructor;
    try {
      expect(new KnownSchema(COSTLY).checkNow({ p: "é" }, 0)).toEqual({ elsewhere: true, tookMs: 0 });
    } finally {
      globalThis.RegExp = original;
    }
    expect(compiled).toEqual([]);
  });
});
