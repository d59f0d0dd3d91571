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
    const check = checkOf(schema);
    if (check(structuredContent) === undefined) return false;
    const inner = schema["type"] === "object" ? undefined : wrappedValue(structuredContent);
    return inner === undefined || check(inner.result) !== undefined;
  } catch {
    return false;
  }
}

/** Before 2026-07-28 what isn't an object at its root is listed and sent as `{ result: … }`: authors on a low-level server do so themselves. */
function wrappedValue(value: unknown): { readonly result: unknown } | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "result") return undefined;
  return value as { readonly result: unknown };
}

function checkOf(schema: JsonSchema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  // Of a copy: the validator writes into the schema it is given, and this one is the author's.
  const check = createJsonSchemaCheck(structuredClone(schema), "the output schema");
  checks.set(schema, check);
  return check;
}
