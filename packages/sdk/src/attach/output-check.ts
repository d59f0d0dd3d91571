import { createJsonSchemaCheck } from "../schema/compile-schema.ts";
import type { JsonSchema } from "../schema/schema.ts";
import type { ToolFacts } from "../amend/tool-facts.ts";
import type { ServerLike } from "./server-like.ts";
import { isMcpServer } from "./server-like.ts";

const checks: WeakMap<JsonSchema, ((value: unknown) => string | undefined) | undefined> = new WeakMap();

/**
 * Whether the tool's own output schema refuses a result. An `McpServer` has checked it already; a low-level server checks
 * nothing, and then it is the client that throws the result away.
 */
export function isOutputRefused(server: ServerLike, facts: ToolFacts | undefined, result: unknown): boolean {
  const schema = facts?.outputSchema;
  if (schema === undefined || isMcpServer(server)) return false;
  const { structuredContent } = result as { readonly structuredContent?: unknown };
  if (structuredContent === undefined) return true;
  if (!checks.has(schema)) checks.set(schema, checkOf(schema));
  return checks.get(schema)?.(structuredContent) !== undefined;
}

/** `undefined`: a schema that can't be checked here refuses nothing. */
function checkOf(schema: JsonSchema): ((value: unknown) => string | undefined) | undefined {
  try {
    return createJsonSchemaCheck(schema, "the output schema");
  } catch {
    return undefined;
  }
}
