import { expect, test } from "vitest";
import { namesOf } from "./schema-names.ts";

const keyed = { type: "object", properties: { session_key: {} } };

test.each([
  ["its properties", keyed],
  ["a local reference", { $ref: "#/$defs/in", $defs: { in: keyed } }],
  ["a reference with escapes", { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": keyed } }],
  ["a branch of allOf", { allOf: [{ type: "object" }, keyed] }],
  ["a branch of anyOf behind a reference", { anyOf: [{ $ref: "#/definitions/in" }], definitions: { in: { oneOf: [keyed] } } }],
])("finds a name in %s", (_where, schema) => {
  expect([...namesOf(schema)]).toEqual(["session_key"]);
});

test.each([
  ["a nested object", { properties: { outer: keyed } }, ["outer"]],
  ["a reference to itself", { $ref: "#" }, []],
  ["a reference to elsewhere", { $ref: "https://example.com/schema" }, []],
  ["a reference to nothing", { $ref: "#/$defs/none" }, []],
  ["what is no schema", 5, []],
  ["true", true, []],
])("finds none of its root in %s", (_where, schema, names) => {
  expect([...namesOf(schema)]).toEqual(names);
});
