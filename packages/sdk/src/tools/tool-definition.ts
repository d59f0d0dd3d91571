import type { ToolArguments, ToolResult } from "../attach/register-tool.ts";
import type { Call } from "../call/call.ts";
import type { AnyEvent } from "../event/event.ts";
import type { ToolAnswer } from "./tool-answer.ts";
import type { ToolExtra } from "./tools-context.ts";
import type { ZodShape } from "./zod-shape.ts";

/** What a tool is, for a framework that takes definitions and lists and calls them itself. */
export interface ToolDefinitionOptions<Input extends ZodShape, Declared extends readonly AnyEvent[]> {
  readonly description: string;
  /** Zod types by name: `{ url: z.string() }`. @defaultValue no arguments */
  readonly inputSchema?: Input;
  /** Zod types by name. The definition's own `outputSchema` is then what the framework takes. */
  readonly outputSchema?: ZodShape;
  /** The events its handler may subscribe to. The compiler refuses all others. */
  readonly subscribes?: Declared;
  readonly annotations?: ToolHints;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each framework has its own type of it
  readonly _meta?: Readonly<Record<string, any>>;
}

/** MCP's hints about what a tool does. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a framework is told of a tool beside its schemas. */
export interface ToolMetadata {
  readonly name: string;
  readonly description: string;
  readonly annotations?: ToolHints;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each framework has its own type of it
  readonly _meta?: Readonly<Record<string, any>>;
}

/** Runs a tool. `context` is the framework's own; `call` subscribes the conversation that called. */
export type DefinedToolHandler<Input, Context, Declared extends AnyEvent> = (
  args: ToolArguments<Input>,
  context: Context,
  call: Call<Declared>,
) => ToolAnswer | Promise<ToolAnswer>;

/** One tool as a framework takes it, in the parts that a file of such a framework exports. */
export interface ToolDefinition<Input extends ZodShape = ZodShape> {
  /** Zod types by name: the author's and, where the tool is wrapped, Wakeshift's. */
  readonly schema: Input;
  readonly metadata: ToolMetadata;
  /** Present if the tool was given one: with room for the block. */
  readonly outputSchema?: ZodShape;
  readonly handler: (args: Readonly<Record<string, unknown>>, context?: ToolExtra) => Promise<ToolResult>;
}
