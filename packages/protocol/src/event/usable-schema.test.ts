import { describe, expect, it } from "vitest";
import { assertUsableSchema } from "./usable-schema.ts";

describe("a schema's patterns and references", () => {
  it.each<[string, unknown]>([
    ["no schema at all", null],
    ["a boolean schema", true],
    ["patterns of Unicode", { properties: { a: { pattern: "^\\p{L}+$" } }, patternProperties: { "^x-": { type: "string" } } }],
    ["references inside", { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } }],
    [
      "what is the author's data, whatever it looks like",
      { enum: [{ pattern: "(" }], const: { $ref: "elsewhere" }, default: { pattern: "(" }, examples: [{ pattern: "(" }] },
    ],
    ["a pattern that is no text, which says nothing", { pattern: 7, properties: { pattern: { type: "string" } } }],
    ["patternProperties that hold nothing, which say nothing", { patternProperties: null, allOf: [{ patternProperties: "(" }] }],
    ["other keywords whose names are no patterns", { properties: { "(": { type: "string" } } }],
  ])("can be used: %s", (_what, schema) => {
    expect(() => assertUsableSchema(schema)).not.toThrow();
  });

  it.each<[string, unknown, RegExp]>([
    ["a pattern that doesn't compile", { pattern: "(" }, /regular expression/i],
    ["one that compiles only without Unicode", { pattern: "\\-" }, /regular expression/i],
    ["one in a branch of a list", { anyOf: [{}, { items: { pattern: "[" } }] }, /regular expression/i],
    ["a name of patternProperties", { patternProperties: { "(": {} } }, /regular expression/i],
    ["a reference that leads out", { $ref: "https://example.com/s.json" }, /\$ref leads out/],
    ["a reference that is no text", { items: { $ref: 7 } }, /\$ref leads out/],
  ])("can't be used: %s", (_what, schema, message) => {
    expect(() => assertUsableSchema(schema)).toThrow(message);
  });
});
