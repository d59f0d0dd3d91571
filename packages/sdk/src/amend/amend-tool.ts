import { isRecord } from "@wakeshift/protocol";
import type { JsonSchema } from "../schema/schema.ts";
import { withBlockField } from "./block-field.ts";
import { describeTool } from "./describe-tool.ts";
import type { ListedTool, ToolArgument, ToolFacts } from "./tool-facts.ts";

const DESCRIPTIONS: Readonly<Record<ToolArgument, string>> = {
  session_key: "The session key from an earlier result of this server in this conversation, if there was one.",
  harness: "The agent program you run in, such as codex, claude-code or opencode, if you know it.",
  conversation_id: "The id of this conversation in that program, if you know it.",
};

/** The properties Wakeshift adds to the input schema of a tool that subscribes to `events` events. */
export function addedArguments(events: number): JsonSchema {
  const names: readonly ToolArgument[] = events > 0 ? ["session_key", "harness", "conversation_id"] : ["session_key"];
  return Object.fromEntries(names.map((name) => [name, { type: "string", description: DESCRIPTIONS[name] }]));
}

/** A wrapped tool as clients are shown it. The author's strictness and `required` stay; nothing of ours is required. */
export function amendTool<T extends ListedTool>(tool: T, facts: ToolFacts, events: readonly string[]): T {
  const inputSchema = isSchema(tool.inputSchema) ? tool.inputSchema : { type: "object" };
  return {
    ...tool,
    description: describeTool(typeof tool.description === "string" ? tool.description : "", events),
    inputSchema: {
      ...inputSchema,
      properties: { ...(inputSchema["properties"] as JsonSchema | undefined), ...addedArguments(events.length) },
    },
    ...(facts.outputSchema !== undefined && facts.takesBlock ? { outputSchema: withBlockField(facts.outputSchema) } : {}),
  };
}

function isSchema(value: unknown): value is JsonSchema {
  return isRecord(value);
}
