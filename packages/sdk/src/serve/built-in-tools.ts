import type { EventDefinition } from "../event/event-definition.ts";
import { addedArguments } from "../amend/amend-tool.ts";
import { withPeriod } from "../text/with-period.ts";
import type { JsonSchema } from "../schema/schema.ts";

export const BUILT_IN_TOOLS = ["subscribe_events", "unsubscribe_events", "list_subscriptions"] as const;

/** The name of a tool that Wakeshift itself serves. */
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/** A tool of Wakeshift's own, as `tools/list` shows it. */
export interface ListedBuiltIn {
  readonly name: BuiltInTool;
  readonly description: string;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: { readonly [name: string]: JsonSchema };
    /** Not read-only, as the MCP SDKs' own type has it. */
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean; readonly openWorldHint: boolean };
}

export function isBuiltInTool(name: string): name is BuiltInTool {
  return (BUILT_IN_TOOLS as readonly string[]).includes(name);
}

/** The events that `subscribe_events` may subscribe to. */
export function openEvents(events: readonly EventDefinition[]): readonly EventDefinition[] {
  return events.filter((event) => event.access.length > 0);
}

/** The built-in tools as they are listed. `subscribe_events` is absent where no event is open to it. */
export function listBuiltInTools(events: readonly EventDefinition[]): readonly ListedBuiltIn[] {
  const open = openEvents(events);
  return [...(open.length > 0 ? [subscribeEvents(open)] : []), unsubscribeEvents(), listSubscriptions()];
}

function subscribeEvents(open: readonly EventDefinition[]): ListedBuiltIn {
  const lines = open.map(describeEvent);
  return tool(
    "subscribe_events",
    `Subscribes this conversation to an event of this app: it gets a new turn when the event happens. The events:\n${lines.join("\n")}`,
    {
      event: { type: "string", enum: open.map((event) => event.name), description: "Which event." },
      arguments: { type: "object", description: "The event's arguments." },
      ...addedArguments(1),
    },
    ["event"],
    {},
  );
}

/** Where some arguments may be left out, a model must read that, or it fills them all in and hears of too little. */
function describeEvent({ name, description, args }: EventDefinition): string {
  const { properties = {}, required } = args.jsonSchema as { readonly properties?: object; readonly required?: readonly string[] };
  const needed = new Set(required ?? []);
  const optional = Object.keys(properties).filter((argument) => !needed.has(argument));
  const may = optional.length === 0 ? "" : ` May be left out: ${optional.join(", ")}.`;
  return `- ${name}: ${withPeriod(description)} Arguments: ${JSON.stringify(properties)}${may}`;
}

function unsubscribeEvents(): ListedBuiltIn {
  return tool(
    "unsubscribe_events",
    "Ends subscriptions of this conversation: one by its id, all to an event, or the one to an event with certain arguments. Without session_key, those of the signed-in user in all conversations.",
    {
      id: { type: "string", description: "The subscription's id." },
      event: { type: "string", description: "Which event." },
      arguments: { type: "object", description: "The event's arguments, as they were passed when it was subscribed to." },
      ...addedArguments(0),
    },
    [],
    { idempotentHint: true },
  );
}

function listSubscriptions(): ListedBuiltIn {
  return tool(
    "list_subscriptions",
    "Lists what this conversation is subscribed to in this app. Without session_key, what the signed-in user is subscribed to in all conversations.",
    addedArguments(0),
    [],
    {
      readOnlyHint: true,
    },
  );
}

function tool(
  name: BuiltInTool,
  description: string,
  properties: object,
  required: string[],
  annotations: Omit<ListedBuiltIn["annotations"], "openWorldHint">,
): ListedBuiltIn {
  const inputSchema: ListedBuiltIn["inputSchema"] = {
    type: "object",
    properties: properties as ListedBuiltIn["inputSchema"]["properties"],
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
  return { name, description, inputSchema, annotations: { ...annotations, openWorldHint: false } };
}
