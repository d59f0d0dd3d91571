import { WakeshiftError } from "@wakeshift/protocol";
import type { ToolResult } from "../attach/register-tool.ts";
import type { BuiltInTool } from "../serve/built-in-tools.ts";
import { listBuiltInTools } from "../serve/built-in-tools.ts";
import { callBuiltIn } from "../serve/call-built-in.ts";
import type { Runtime } from "./runtime.ts";
import { attachmentFor } from "./runtime.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { toToolsContext } from "./tools-context.ts";
import { zodShapeOf } from "./zod-shape.ts";

/** Wakeshift's own tools as definitions. */
export function defineBuiltIns(runtime: Runtime): readonly ToolDefinition[] {
  return listBuiltInTools(runtime.events()).map(({ name, description, inputSchema, annotations }) => ({
    schema: zodShapeOf(inputSchema.properties, inputSchema.required ?? []),
    metadata: { name, description, annotations },
    handler: async (args, context = {}): Promise<ToolResult> =>
      callBuiltIn(
        attachmentFor(runtime, toToolsContext(context)),
        name,
        { method: "tools/call", params: { name, arguments: args } },
        context,
      ),
  }));
}

/** @throws WakeshiftError `bad_request` where that tool isn't served */
export function defineBuiltIn(runtime: Runtime, name: BuiltInTool): ToolDefinition {
  const definition = defineBuiltIns(runtime).find(({ metadata }) => metadata.name === name);
  if (definition !== undefined) return definition;
  throw new WakeshiftError(
    "bad_request",
    `${name} isn't served here: no event is open to it, or Wakeshift has no such tool. Take its file out, or give an event personal, authorize or public.`,
  );
}
