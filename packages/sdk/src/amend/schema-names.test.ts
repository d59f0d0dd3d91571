import { TOOL_ARGUMENTS } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { namedOf } from "./schema-names.ts";
import { toolFactsOf } from "./tool-facts.ts";

const keyed = { type: "object", properties: { session_key: {} } };

function nested(levels: number, innermost: object): object {
  let schema = innermost;
  for (let level = 0; level < levels; level += 1) schema = { allOf: [schema] };
  return schema;
}

function cyclic(): object {
  const schema: Record<string, unknown> = {};
  schema["allOf"] = [schema, schema];
  return schema;
}

test.each([
  ["its properties", keyed],
  ["a local reference", { $ref: "#/$defs/in", $defs: { in: keyed } }],
  ["a reference with escapes", { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": keyed } }],
  ["a branch of allOf", { allOf: [{ type: "object" }, keyed] }],
  ["a reference into a list of branches", { $ref: "#/$defs/both/1", $defs: { both: [{}, keyed] } }],
  ["a branch 5,000 levels down", nested(5_000, keyed)],
  ["a branch beside what can't be read", { $ref: "#/$defs/100%", allOf: [{ $ref: "#/%E0%A4%A" }, keyed] }],
  ["what it requires without describing it", { type: "object", required: ["session_key"] }],
  ["what follows from a condition", { if: { type: "object" }, then: keyed }],
  ["what follows from a condition that fails", { if: {}, else: { allOf: [keyed] } }],
  ["a condition", { if: keyed, then: {} }],
  ["what another property brings with it", { dependentSchemas: { url: keyed } }],
  ["a condition of what is required only", { if: { required: ["session_key"] }, then: { required: ["url"] } }],
  ["what another property requires", { dependentRequired: { url: ["session_key"] } }],
  ["what requires another property", { dependentRequired: { session_key: ["url"] } }],
  ["what brings other properties with it", { dependentSchemas: { session_key: { required: ["url"] } } }],
  ["a dependency as older drafts write it", { dependencies: { url: ["session_key"] } }],
  ["a dependency on it as older drafts write it", { dependencies: { session_key: { required: ["url"] } } }],
  ["a schema it brings with it as older drafts write it", { dependencies: { url: keyed } }],
  ["what it forbids", { not: { required: ["session_key"] } }],
  ["the names it allows", { propertyNames: { enum: ["url", "session_key"] }, additionalProperties: { type: "string" } }],
  ["the one name it allows", { propertyNames: { const: "session_key" } }],
  ["the names it allows behind a reference", { propertyNames: { $ref: "#/$defs/names" }, $defs: { names: { enum: ["session_key"] } } }],
  ["a pattern of names", { patternProperties: { "^session_": { type: "string" } } }],
  ["a pattern of names that JavaScript takes without its unicode flag only", { patternProperties: { "^session\\_": {} } }],
  ["a pattern in a branch", { allOf: [{ patternProperties: { _key$: {} } }] }],
  ["a reference to an anchor", { $ref: "#in", $defs: { any: { $anchor: "in", ...keyed } } }],
  ["a dynamic reference", { $dynamicRef: "#in", $defs: { any: { $dynamicAnchor: "in", ...keyed } } }],
  ["a reference to a definition's id", { $ref: "in.json", $defs: { any: { $id: "in.json", ...keyed } } }],
  ["a reference by the schema's own id", { $id: "https://a.example/t", $ref: "https://a.example/t#/$defs/in", $defs: { in: keyed } }],
  ["a branch of anyOf behind a reference", { anyOf: [{ $ref: "#/definitions/in" }], definitions: { in: { oneOf: [keyed] } } }],
])("finds a name in %s, and leaves such a tool unwrapped (seed-139, seed-140)", (_where, schema) => {
  const named = { type: "object", ...schema };
  expect(namedOf(schema, TOOL_ARGUMENTS, true)).toEqual(["session_key"]);
  expect(toolFactsOf({ name: "own", inputSchema: named })).toMatchObject({ conflict: "session_key", declares: new Set(["session_key"]) });
});

const branches = Array.from({ length: 50 }, (_each, index) => ({ $ref: index % 2 === 0 ? "#/$defs/a" : "#/$defs/b" }));
const mutual = { $defs: { a: { anyOf: branches }, b: { oneOf: branches } } };

test.each([
  ["a nested object", { properties: { outer: keyed } }, ["outer"]],
  ["a reference to itself", { $ref: "#" }, []],
  ["a reference to elsewhere", { $ref: "https://example.com/schema" }, []],
  ["a reference whose percent signs stand for nothing", { $ref: "#/$defs/100%", $defs: { "100%": keyed } }, []],
  ["a reference to what every object inherits", { $ref: "#/constructor/prototype" }, []],
  ["a reference through a text", { $ref: "#/title/length", title: "x" }, []],
  ["a hundred branches that are itself", { anyOf: Array.from({ length: 100 }, () => ({ $ref: "#" })) }, []],
  ["two definitions of branches that are each other", { ...mutual, $ref: "#/$defs/a" }, []],
  ["an object that holds itself", cyclic(), []],
  ["a hundred thousand levels of branches", nested(100_000, keyed), []],
  ["a reference to nothing", { $ref: "#/$defs/none" }, []],
  ["required names that are none", { required: [5, null] }, []],
  ["dependencies that are none", { dependentRequired: { url: 5 }, dependencies: [], propertyNames: { enum: 5 } }, []],
  ["patterns of other names", { patternProperties: { "^x-": {}, "^[a-z]+-[a-z]+$": {} } }, []],
  ["patterns that are none", { patternProperties: { "(": {}, "[z-a]": {}, "*": {} } }, []],
  ["patterns in what is no object", { patternProperties: ["^session_"] }, []],
  ["a reference to an anchor of nothing", { $ref: "#none", $defs: { any: { $anchor: "in", ...keyed }, none: 5 } }, []],
  ["what a property of it is", { properties: { outer: { required: ["session_key"], patternProperties: { "^session_": {} } } } }, ["outer"]],
  ["the names one of its properties allows", { properties: { outer: { propertyNames: { enum: ["session_key"] } } } }, ["outer"]],
  ["conditions that are none", { if: 5, then: "x", else: null, dependentSchemas: [] }, []],
  ["what is no schema", 5, []],
  ["true", true, []],
])("finds none of its root in %s", (_where, schema, names) => {
  expect(namedOf(schema, [...TOOL_ARGUMENTS, "outer"], true)).toEqual(names);
  expect(toolFactsOf({ name: "own", inputSchema: schema }).conflict).toBe(undefined);
});

test.each([["^(([a-z_]+)+)+!$"], ["(.*)*x"], [`${".*".repeat(30)}x`], [`${"(.|.|.|.)".repeat(15)}x`], ["a".repeat(1_000)]])(
  "takes a pattern that may take long, or that is too long, for one that matches, and doesn't run it: %s",
  (pattern) => {
    const begun = performance.now();
    expect(namedOf({ patternProperties: { [pattern]: {} } }, TOOL_ARGUMENTS, true)).toEqual([...TOOL_ARGUMENTS]);
    expect(performance.now() - begun).toBeLessThan(1_000);
  },
);

test("takes no pattern of an output's fields for a field of the author's: it has only no safe room", () => {
  const outputSchema = { type: "object", patternProperties: { "^.*$": { type: "string" } } };
  expect(toolFactsOf({ name: "own", outputSchema })).toMatchObject({ conflict: undefined, takesBlock: false });
});

test.each([
  ["what it requires", { type: "object", required: ["wakeshift"] }],
  ["a condition", { type: "object", if: { properties: { wakeshift: {} } }, then: {} }],
  ["what another field requires", { type: "object", dependentRequired: { job: ["wakeshift"] } }],
])("leaves a tool unwrapped whose output names wakeshift in %s (seed-143)", (_where, outputSchema) => {
  expect(toolFactsOf({ name: "own", outputSchema }).conflict).toBe("wakeshift");
});

test("reads five hundred plain schemas in a moment", () => {
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_each, index) => [`argument_${String(index)}`, { type: "string" }]));
  const plain = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  const begun = performance.now();
  for (let tool = 0; tool < 500; tool += 1) namedOf(plain, TOOL_ARGUMENTS, true);
  expect(performance.now() - begun).toBeLessThan(100);
});
