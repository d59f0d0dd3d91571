import { createJsonSchemaCheck } from "../schema/compile-schema.ts";
import type { JsonSchema } from "../schema/schema.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";

type Check = (value: unknown) => string | undefined;

const checks: WeakMap<JsonSchema, Check> = new WeakMap();

/**
 * Whether the tool's own output schema refuses a result: where nothing has checked it, it is the client that throws it away. A
 * schema that can't be evaluated here refuses nothing: the call has succeeded, and its server would have passed it on.
 */
export function isOutputRefused(facts: ToolFacts | undefined, result: unknown): boolean {
  const schema = facts?.outputSchema;
  if (schema === undefined) return false;
  const { structuredContent } = result as { readonly structuredContent?: unknown };
  if (structuredContent === undefined) return true;
  try {
    return checkOf(schema)(structuredContent) !== undefined;
  } catch {
    return false;
  }
}

function checkOf(schema: JsonSchema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  // Of a copy: the validator writes into the schema it is given, and this one is the author's.
  const check = createJsonSchemaCheck(structuredClone(schema), "the output schema");
  checks.set(schema, check);
  return check;
}
