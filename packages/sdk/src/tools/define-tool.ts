import { addedArguments } from "../amend/amend-tool.ts";
import { BLOCK_PROPERTY } from "../amend/block-field.ts";
import { describeTool } from "../amend/describe-tool.ts";
import type { ToolResult } from "../attach/register-tool.ts";
import type { Call } from "../call/call.ts";
import { findCall } from "../call/call-store.ts";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { AnyEvent } from "../event/event.ts";
import { wrapCallTool } from "../serve/call-tool.ts";
import { Catalog } from "../serve/catalog.ts";
import { noCall } from "../serve/no-call.ts";
import { tellConflict } from "../serve/tell-unwrapped.ts";
import { WrappedTools, eventNames } from "../serve/wrap.ts";
import type { Runtime } from "./runtime.ts";
import { attachmentFor } from "./runtime.ts";
import { isAnswerRefused, readAnswer } from "./tool-answer.ts";
import type { DefinedToolHandler, ToolDefinition, ToolDefinitionOptions } from "./tool-definition.ts";
import { toToolsContext } from "./tools-context.ts";
import type { ZodShape } from "./zod-shape.ts";
import { zodShapeOf } from "./zod-shape.ts";

/** A tool to define. */
export interface ToolToDefine {
  readonly name: string;
  readonly options: ToolDefinitionOptions<ZodShape, readonly AnyEvent[]>;
  readonly handler: DefinedToolHandler<never, never, never>;
}

const OPTION_NAMES: OptionNames<ToolToDefine["options"]> = {
  description: true,
  inputSchema: true,
  outputSchema: true,
  subscribes: true,
  annotations: true,
  _meta: true,
};

/** Makes one tool's definition. Its calls go the way all calls go, but that a framework checks the result after us. */
export function defineTool(runtime: Runtime, { name, options, handler }: ToolToDefine): ToolDefinition {
  assertOptions(options, OPTION_NAMES, `tools.tool() of ${name}`);
  const { description, inputSchema: input = {}, outputSchema: output, annotations, _meta } = options;
  const { subscribes = [] } = options;
  const wrapped = new WrappedTools({ wrap: { [name]: subscribes }, lookup: () => undefined, declares: runtime.declares });
  wrapped.announce();
  const events = eventNames(subscribes);
  const catalog = new Catalog(runtime.engine.timeoutMs);
  const listed = { name, inputSchema: objectOf(input), ...(output === undefined ? {} : { outputSchema: objectOf(output) }) };
  const { conflict } = catalog.factsOf(listed, catalog.edition);
  const own: Runtime = {
    ...runtime,
    catalog,
    wrapped,
    refuses: (_facts, result) => isAnswerRefused(result, output),
  };
  if (conflict !== undefined) tellConflict(own, name, conflict);
  const amended = conflict === undefined;
  const outputSchema = output === undefined || !amended ? output : { ...output, ...zodShapeOf(BLOCK_PROPERTY, [], output) };
  const run = handler as unknown as (args: unknown, context: unknown, call: Call<never>) => unknown;
  return {
    schema: amended ? { ...input, ...zodShapeOf(addedArguments(events.size), [], input) } : input,
    metadata: {
      name,
      description: amended ? describeTool(description, [...events]) : description,
      ...(annotations === undefined ? {} : { annotations }),
      ...(_meta === undefined ? {} : { _meta }),
    },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    handler: async (args, context = {}): Promise<ToolResult> => {
      const attachment = attachmentFor(own, toToolsContext(context));
      const call = wrapCallTool(
        attachment,
        () => undefined,
      )(async (request) =>
        readAnswer(
          await run(request.params?.["arguments"], context, findCall(attachment.owner, context) ?? noCall(name, attachment.engine.log)),
          output,
        ),
      );
      return (await call({ method: "tools/call", params: { name, arguments: args } }, context)) as ToolResult;
    },
  };
}

/** Only names are read from it. */
function objectOf(shape: ZodShape): object {
  return { type: "object", properties: Object.fromEntries(Object.keys(shape).map((name) => [name, {}])) };
}
