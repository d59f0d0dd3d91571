import { isRecord, TOOL_ARGUMENTS } from "@wakeshift/protocol";
import type { JsonSchema } from "../schema/schema.ts";
import { BLOCK_FIELD, takesBlock } from "./block-field.ts";
import { namedOf } from "./schema-names.ts";

/** One of the arguments Wakeshift adds to tools. */
export type ToolArgument = (typeof TOOL_ARGUMENTS)[number];

/** A tool as an author's list gives it, in the parts Wakeshift reads. */
export interface ListedTool {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** What is known of one of the author's tools from its schemas. */
export interface ToolFacts {
  /** Those of Wakeshift's argument names that are the author's own here. */
  readonly declares: ReadonlySet<string>;
  /** The name that keeps this tool from being wrapped, if one does. */
  readonly conflict: string | undefined;
  readonly outputSchema: JsonSchema | undefined;
  /** Whether structured content may carry the block: there is no output schema, or one with room for another field. */
  readonly takesBlock: boolean;
}

const NONE: ReadonlySet<string> = new Set();

export function toolFactsOf(tool: ListedTool): ToolFacts {
  const declared = namedOf(tool.inputSchema, TOOL_ARGUMENTS, true);
  const declares: ReadonlySet<string> = declared.length === 0 ? NONE : new Set(declared);
  const outputSchema = isSchema(tool.outputSchema) ? tool.outputSchema : undefined;
  const namesBlock = outputSchema !== undefined && namedOf(outputSchema, [BLOCK_FIELD]).length > 0;
  return {
    declares,
    conflict: declared[0] ?? (namesBlock ? BLOCK_FIELD : undefined),
    outputSchema,
    takesBlock: outputSchema === undefined || takesBlock(outputSchema),
  };
}

/** Tells a list's entry that Wakeshift can read from anything else a server may list, one that throws when it is looked at included. */
export function isListedTool(value: unknown): value is ListedTool {
  try {
    return typeof value === "object" && value !== null && typeof (value as { readonly name?: unknown }).name === "string";
  } catch {
    return false;
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return isRecord(value);
}
