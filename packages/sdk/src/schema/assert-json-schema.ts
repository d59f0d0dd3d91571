import { assertUsableSchema, isRecord, WakeshiftError } from "@wakeshift/protocol";
import type { JsonSchema } from "./schema.ts";

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
/** Keywords that hold one schema, lists of schemas, and schemas by name. */
const ONE: ReadonlySet<string> = new Set(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(" "),
);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const NAMED: ReadonlySet<string> = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);
const COUNTS: ReadonlySet<string> = new Set("maxItems maxLength maxProperties minItems minLength minProperties".split(" "));

/**
 * Refuses a JSON Schema that no value can be checked by, which a validator would pass over in silence or find only when a value
 * gets there.
 * @throws WakeshiftError `bad_event` that says where it is and what it can't be
 */
export function assertJsonSchema(schema: JsonSchema, field: string): void {
  const fault = faultOf(schema, schema, "");
  if (fault !== undefined) throw new WakeshiftError("bad_event", `${field} is not a JSON Schema that can be used: ${fault}.`);
  try {
    assertUsableSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : "something in it can't be read";
    throw new WakeshiftError("bad_event", `${field} is not a JSON Schema that can be used: ${why}.`, { cause: error });
  }
}

function faultOf(schema: unknown, root: JsonSchema, path: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isRecord(schema)) return `${path === "" ? "it" : path} must be an object, or true or false`;
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = keywordFault(keyword, value, root, `${path}/${keyword}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function keywordFault(keyword: string, value: unknown, root: JsonSchema, path: string): string | undefined {
  if (keyword === "type") return typeFault(value, path);
  if (keyword === "required" && !isListOfNames(value)) return `${path} must be a list of names`;
  if (keyword === "enum" && !Array.isArray(value)) return `${path} must be a list of values`;
  if (keyword === "pattern" && typeof value !== "string") return `${path} must be a string`;
  if (COUNTS.has(keyword) && !(Number.isInteger(value) && (value as number) >= 0)) return `${path} must be a whole number, 0 or more`;
  if (keyword === "$ref" && typeof value === "string" && !leadsSomewhere(value, root)) return `${path} refers to nothing`;
  if (NAMED.has(keyword)) return isRecord(value) ? first(value, root, path) : `${path} must be an object of schemas`;
  if (LISTS.has(keyword) && Array.isArray(value)) return first(value as readonly unknown[], root, path);
  if (ONE.has(keyword)) return faultOf(value, root, path);
  return LISTS.has(keyword) ? `${path} must be a list of schemas` : undefined;
}

function typeFault(value: unknown, path: string): string | undefined {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !TYPES.has(type));
  if (wrong === undefined && types.length > 0) return undefined;
  const shown = typeof wrong === "string" ? JSON.stringify(wrong.slice(0, 64)) : typeof wrong;
  return `${path} is ${shown}; it must be one of ${[...TYPES].join(", ")}`;
}

function first(schemas: object, root: JsonSchema, path: string): string | undefined {
  for (const [name, schema] of Object.entries(schemas)) {
    const fault = faultOf(schema, root, `${path}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Only pointers are followed: an anchor may be anywhere, and is found when a value gets there. */
function leadsSomewhere(reference: string, root: JsonSchema): boolean {
  if (!reference.startsWith("#/") || JSON.stringify(root).includes('"$id"')) return true;
  let place: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return false;
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return true;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
