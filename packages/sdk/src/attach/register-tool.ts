import { WakeshiftError } from "@wakeshift/protocol";
import type { Call } from "../call/call.ts";
import { runHandler } from "../call/call-store.ts";
import type { AnyEvent } from "../event/event.ts";
import { assertNoNearMiss } from "../options/assert-options.ts";
import type { OutputOf, StandardSchema } from "../schema/schema.ts";
import type { Attachment } from "../serve/attachment.ts";
import { noCall } from "../serve/no-call.ts";
import { eventNames } from "../serve/wrap.ts";
import type { ServerLike } from "./server-like.ts";
import { isMcpServer } from "./server-like.ts";

/** Named schemas, as 1.x takes them, and as zod users write them: `{ url: z.string() }`. */
export type RawShape = Readonly<Record<string, StandardSchema>>;

/** What a tool takes in: any schema its MCP SDK takes. */
export type ToolInput = StandardSchema | RawShape;

type Optional<Shape> = { [Name in keyof Shape]: undefined extends OutputOf<Shape[Name]> ? Name : never }[keyof Shape];
type ShapeOutput<Shape> = { [Name in Exclude<keyof Shape, Optional<Shape>>]: OutputOf<Shape[Name]> } & {
  [Name in Optional<Shape>]?: OutputOf<Shape[Name]>;
};

/** The arguments a handler gets for a tool's input. */
export type ToolArguments<Input> = Input extends StandardSchema
  ? OutputOf<Input>
  : Input extends RawShape
    ? ShapeOutput<Input>
    : Readonly<Record<never, never>>;

/** What a handler answers: a tool result as its MCP SDK takes it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string }[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: object | undefined;
  /** Protocol 2026-07-28: `input_required` for a result that isn't final. */
  readonly resultType?: string | undefined;
}

/** A tool's own description, as its MCP SDK takes it, and the events it subscribes to. */
export interface ToolOptions<Input, Declared extends readonly AnyEvent[]> {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Input;
  readonly outputSchema?: StandardSchema | RawShape;
  readonly annotations?: object;
  readonly icons?: readonly object[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The events its handler may subscribe to. The compiler refuses all others. */
  readonly subscribes?: Declared;
}

/** Runs a tool. `context` is the MCP SDK's own; `call` subscribes the conversation that called. */
export type ToolHandler<Input, Context, Declared extends AnyEvent> = (
  args: ToolArguments<Input>,
  context: Context,
  call: Call<Declared>,
) => ToolResult | Promise<ToolResult>;

/**
 * Registers a tool that subscribes on the author's `McpServer`, and returns what its `registerTool` returns.
 * @throws WakeshiftError `unsupported` on a low-level server, `bad_request` for a misspelled `subscribes`, or one that lists no events
 */
export function registerTool(
  place: { readonly attachment: Attachment; readonly server: ServerLike },
  name: string,
  options: ToolOptions<unknown, readonly AnyEvent[]>,
  handler: ToolHandler<never, never, never>,
): unknown {
  const { server } = place;
  const { owner, engine, wrapped } = place.attachment;
  if (!isMcpServer(server)) {
    throw new WakeshiftError(
      "unsupported",
      `A low-level server registers no tools, so ${name} can't be registered on it. List and answer it in your own handlers, and name it in \`wrap\`.`,
    );
  }
  // All the others are the MCP SDK's to know.
  assertNoNearMiss(options, "subscribes", `registerTool() of ${name}`);
  const { subscribes = [], ...config } = options;
  eventNames(subscribes);
  const run = handler as unknown as (args: unknown, context: unknown, call: Call<never>) => unknown;
  // Without an input schema the host passes the context alone.
  const callback = (...received: readonly unknown[]): unknown => {
    const context = received.at(-1);
    const args = received.length > 1 ? received[0] : {};
    return runHandler(owner, context, (call) => run(args, context, call ?? noCall(name, engine.log)));
  };
  const registered: unknown = server.registerTool(name, config, callback);
  if (typeof registered === "object" && registered !== null) wrapped.register(name, registered, { events: subscribes, handler: callback });
  return registered;
}
