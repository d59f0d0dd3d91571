import { SCHEMA_DATA_KEYWORDS } from "@wakeshift/protocol";

/**
 * Keywords whose check costs no more than the size of schema times the size of value. `pattern`, `format`, `$ref`, `uniqueItems`
 * and whatever else isn't here may cost far more.
 */
const STEADY_KEYWORDS: ReadonlySet<string> = new Set([
  ..."$schema $id $comment title description default examples deprecated readOnly writeOnly".split(" "),
  ..."type enum const required minimum maximum exclusiveMinimum exclusiveMaximum".split(" "),
  ..."minLength maxLength minItems maxItems minProperties maxProperties".split(" "),
  ..."properties additionalProperties items prefixItems anyOf allOf".split(" "),
]);

/** Keywords that hold schemas by name. */
const NAMED_KEYWORDS: ReadonlySet<string> = new Set(["properties"]);

/** Tells whether checking a value against this schema is sure to take time in proportion to both their sizes. */
export function isSteady(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isSteady);
  return Object.entries(schema).every(([keyword, value]: [string, unknown]) => {
    if (!STEADY_KEYWORDS.has(keyword)) return false;
    if (SCHEMA_DATA_KEYWORDS.has(keyword)) return true;
    if (NAMED_KEYWORDS.has(keyword)) return typeof value === "object" && value !== null && Object.values(value).every(isSteady);
    return isSteady(value);
  });
}
