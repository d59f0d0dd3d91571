import type { Access, ManifestEvent } from "@wakeshift/protocol";
import { LIMITS, RESERVED_ARGUMENTS, WakeshiftError, assertManifestEvent, isEventName } from "@wakeshift/protocol";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { JsonSchema, Schema } from "../schema/schema.ts";
import type { EventOptions, Subscriber } from "./event.ts";

/** What the SDK knows of one event beyond its public face. */
export interface EventDefinition {
  readonly name: string;
  readonly description: string;
  readonly args: CompiledSchema;
  readonly payload: CompiledSchema;
  readonly text: ((payload: unknown, args: unknown) => string) | undefined;
  readonly authorize: ((subscriber: Subscriber, args: unknown) => boolean | Promise<boolean>) | undefined;
  /** By which ways it is open beside the app's own tools; none: tools-only. */
  readonly access: readonly Access[];
}

const OPTION_NAMES: OptionNames<EventOptions<Schema, Schema>> = {
  description: true,
  args: true,
  payload: true,
  text: true,
  authorize: true,
  personal: true,
  public: true,
};

/**
 * Checks what the author wrote and makes it ready for use.
 * @throws WakeshiftError `bad_event`, `bad_openness`, `reserved_argument`
 */
export function createEventDefinition<Args extends Schema, Payload extends Schema>(
  name: string,
  options: EventOptions<Args, Payload>,
): EventDefinition {
  if (!isEventName(name)) {
    throw new WakeshiftError(
      "bad_event",
      `${JSON.stringify(name)} is no event name. Write dotted lowercase words such as crawl.finished, at most ${String(LIMITS.eventNameCharacters)} characters; wakeshift. is reserved.`,
    );
  }
  assertOptions(options, OPTION_NAMES, `defineEvent() of ${name}`, "bad_event");
  if (typeof options.description !== "string" || options.description.trim() === "") {
    throw new WakeshiftError("bad_event", `${name} needs a description: one sentence that says what has happened.`);
  }
  if (options.text !== undefined && typeof options.text !== "function")
    throw new WakeshiftError("bad_event", `text of ${name} must be a function of the payload and the arguments that returns a line.`);
  const args = compileSchema(options.args, `the args of ${name}`);
  assertArgumentsSchema(name, args.jsonSchema);
  const definition = {
    name,
    description: options.description,
    args,
    payload: compileSchema(options.payload, `the payload of ${name}`),
    text: options.text as EventDefinition["text"],
    authorize: options.authorize as EventDefinition["authorize"],
    access: accessOf(name, options),
  };
  // Refused here rather than by the core, which takes all of an app's events or none.
  assertManifestEvent(manifestEventOf(definition, []), definition.access);
  return definition;
}

/** What is published of an event. */
export function manifestEventOf(definition: EventDefinition, tools: readonly string[]): ManifestEvent {
  return {
    name: definition.name,
    description: definition.description,
    arguments: definition.args.jsonSchema,
    payload: definition.payload.jsonSchema,
    access: definition.access,
    tools: tools.slice(0, LIMITS.toolsPerEvent),
  };
}

function assertArgumentsSchema(name: string, schema: JsonSchema): void {
  if (schema["type"] !== "object") {
    throw new WakeshiftError("bad_event", `The args of ${name} must be an object, such as z.object({ job: z.string() }).`);
  }
  const properties = schema["properties"];
  const reserved = RESERVED_ARGUMENTS.find(
    (argument) => typeof properties === "object" && properties !== null && Object.hasOwn(properties, argument),
  );
  if (reserved !== undefined) {
    throw new WakeshiftError("reserved_argument", `${name} declares the argument ${reserved}, which is Wakeshift's own. Rename it.`);
  }
}

/** Taken loosely, a mistyped option would open or close an event without a word. */
function assertOpenness(
  name: string,
  options: { readonly personal?: unknown; readonly public?: unknown; readonly authorize?: unknown },
): void {
  for (const option of ["personal", "public"] as const) {
    const value = options[option];
    if (value !== undefined && typeof value !== "boolean")
      throw new WakeshiftError("bad_openness", `${option} of ${name} must be true or false, not ${typeof value}.`);
  }
  if (options.authorize !== undefined && typeof options.authorize !== "function")
    throw new WakeshiftError("bad_openness", `authorize of ${name} must be a function of the subscriber and the arguments.`);
}

function accessOf(
  name: string,
  options: Pick<EventOptions<Schema, Schema>, "personal" | "public"> & { readonly authorize?: unknown },
): readonly Access[] {
  assertOpenness(name, options);
  const personal = options.personal === true;
  const gated = options.authorize !== undefined;
  const open = options.public === true;
  if (open && (personal || gated)) {
    throw new WakeshiftError(
      "bad_openness",
      `${name} is public, so it can't be ${personal ? "personal" : "decided by authorize"} as well. Keep one of the two.`,
    );
  }
  return [...(personal ? (["personal"] as const) : []), ...(gated ? (["authorize"] as const) : []), ...(open ? (["public"] as const) : [])];
}
