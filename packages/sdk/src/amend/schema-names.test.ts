import { expect, test } from "vitest";
import { namesOf } from "./schema-names.ts";

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
  ["a branch of anyOf behind a reference", { anyOf: [{ $ref: "#/definitions/in" }], definitions: { in: { oneOf: [keyed] } } }],
])("finds a name in %s", (_where, schema) => {
  expect([...namesOf(schema)]).toEqual(["session_key"]);
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
  ["conditions that are none", { if: 5, then: "x", else: null, dependentSchemas: [] }, []],
  ["what is no schema", 5, []],
  ["true", true, []],
])("finds none of its root in %s", (_where, schema, names) => {
  expect([...namesOf(schema)]).toEqual(names);
});
