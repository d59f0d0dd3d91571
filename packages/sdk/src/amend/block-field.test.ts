import { expect, test } from "vitest";
import type { JsonSchema } from "../schema/schema.ts";
import { takesBlock, withBlockField } from "./block-field.ts";

test.each([
  [{ type: "object" }],
  [{ type: "object", properties: { a: {} }, additionalProperties: false }],
  [{ type: "object", properties: { a: {} }, additionalProperties: { type: "number" } }],
  [{ type: "object", properties: { a: {} }, unevaluatedProperties: false }],
  [{ type: "object", properties: { a: {} }, required: ["a"], $defs: { b: { oneOf: [] } } }],
])("finds room in %j (seed-137)", (schema) => {
  expect(takesBlock(schema)).toBe(true);
  const amended = withBlockField(schema);
  expect(amended["properties"]).toMatchObject({ wakeshift: { type: "object" } });
  expect(amended["required"]).toEqual("required" in schema ? schema.required : undefined);
});

const CLOSING = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "propertyNames",
  "patternProperties",
  "maxProperties",
  "const",
  "enum",
  "dependentSchemas",
  "dependencies",
];
const WITHOUT_ROOM: readonly JsonSchema[] = [
  {},
  { type: "array" },
  { type: ["object", "null"] },
  { type: "object", properties: { wakeshift: {} } },
  ...CLOSING.map((keyword) => ({ type: "object", [keyword]: {} })),
];

test.each(WITHOUT_ROOM.map((schema) => ({ schema })))("finds no safe room in $schema (PC-06)", ({ schema }) => {
  expect(takesBlock(schema)).toBe(false);
});
