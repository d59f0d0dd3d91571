import { isRecord } from "../json/is-record.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { hasRequired, requireAlike, splitArguments } from "./split-arguments.ts";
import { SCHEMA_DATA_KEYWORDS } from "./usable-schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about which values are taken. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "$schema $id title description default examples deprecated readOnly writeOnly $comment".split(" "),
);
/** Keywords that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
/** What an arguments schema says of each argument by itself, and what that refers to. */
const OF_EACH: ReadonlySet<string> = new Set(["$schema", "$id", "$defs", "definitions", "properties"]);

/** The part of an arguments schema that judges each required argument by itself. */
export function requiredValuesSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => OF_EACH.has(keyword)));
}

/**
 * Whether two arguments schemas require the same arguments and say the same of the values each may have. Descriptions and the like
 * don't count, and neither do arguments that may be left out.
 */
export function takeAlike(one: JsonSchema, other: JsonSchema): boolean {
  return requireAlike(one, other) && comparable(one) === comparable(other);
}

/**
 * Whether an emit may have the required arguments that these arguments have: all of them are there, and none is refused. Of what a
 * schema says of several arguments together, nothing is judged.
 *
 * @param refusal - the check that {@link requiredValuesSchema} makes; `undefined` for what it takes
 */
export function mayBeEmitted(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
  refusal: (value: unknown) => string | undefined,
): boolean {
  return hasRequired(schema, args) && refusal(splitArguments(schema, args).required) === undefined;
}

function comparable(schema: JsonSchema): string {
  const { properties, ...rest } = requiredValuesSchema(schema);
  const { required } = splitArguments(schema, isRecord(properties) ? properties : {});
  return canonicalJson(withoutAnnotations({ ...rest, properties: required }));
}

function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (ANNOTATIONS.has(keyword)) return [];
      if (SCHEMA_DATA_KEYWORDS.has(keyword)) return [[keyword, value]];
      if (!NAMED.has(keyword) || !isRecord(value)) return [[keyword, withoutAnnotations(value)]];
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAnnotations(inner)]))]];
    }),
  );
}
