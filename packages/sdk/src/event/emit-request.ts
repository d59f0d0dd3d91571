import type { EmitRequest } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError, defaultText } from "@wakeshift/protocol";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { CheckedArguments } from "./checked-arguments.ts";
import { checkArguments } from "./checked-arguments.ts";
import type { EmitOptions } from "./event.ts";
import type { EventDefinition } from "./event-definition.ts";

const NAMES: OptionNames<EmitOptions> = { to: true, id: true };
const encoder = new TextEncoder();
/** NUL and halves of surrogate pairs: no store keeps them. */
const UNSTORABLE = /\p{Surrogate}|\0/gu;

/**
 * Checks one emit and writes the request for it.
 * @throws WakeshiftError `bad_arguments`, `bad_payload`, `payload_too_large`, `to_required`, `to_refused`, `bad_request`
 */
export async function createEmitRequest(
  event: EventDefinition,
  args: unknown,
  payload: unknown,
  options: EmitOptions,
): Promise<EmitRequest> {
  assertOptions(options, NAMES, `emit() of ${event.name}`);
  const checked = await checkArguments(event, args);
  const checkedPayload = await event.payload.check(payload, "bad_payload", `The payload of ${event.name}`);
  const json = JSON.stringify(checkedPayload);
  const bytes = byteLength(json);
  if (bytes > LIMITS.payloadBytes) {
    throw new WakeshiftError(
      "payload_too_large",
      `The payload of ${event.name} is ${String(bytes)} bytes of JSON; ${String(LIMITS.payloadBytes)} are allowed. Emit a reference to the rest.`,
    );
  }
  const to = recipientsOf(event, options.to);
  const id = idOf(options.id);
  const text = event.text === undefined ? defaultText(event.description, json) : ownText(event.text, checkedPayload, checked);
  if (typeof text !== "string")
    throw new WakeshiftError("bad_request", `text of ${event.name} returned ${typeof text} where a string is needed.`);
  return {
    name: event.name,
    arguments: withoutDefaults(checked, args),
    payload: checkedPayload,
    text: cutToBytes(text.replace(UNSTORABLE, "\u{fffd}"), LIMITS.textBytes),
    ...(id === undefined ? {} : { id }),
    ...(to === undefined ? {} : { to }),
  };
}

/** Copies: what is sorted or cut for the line must not go out so. */
function ownText(text: NonNullable<EventDefinition["text"]>, payload: unknown, args: CheckedArguments): unknown {
  return text(structuredClone(payload), structuredClone(args.values));
}

/** A default that the schema filled in was not said by this emit: the payload's field of that name is what a subscriber's filter is for. */
function withoutDefaults({ event, values }: CheckedArguments, given: unknown): CheckedArguments["values"] {
  const { properties = {}, required = [] } = event.args.jsonSchema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const filledIn = (name: string): boolean => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const hasDefault = typeof property === "object" && property !== null && Object.hasOwn(property, "default");
    return hasDefault && !required.includes(name) && !Object.hasOwn(given as object, name);
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => !filledIn(name)));
}

function recipientsOf(event: EventDefinition, to: EmitOptions["to"]): EmitOptions["to"] {
  if (!event.access.includes("personal")) {
    if (to === undefined) return undefined;
    throw new WakeshiftError(
      "to_refused",
      `${event.name} is a shared event, so an emit can't name users. Leave \`to\` out, or define it with personal: true.`,
    );
  }
  const users: unknown = typeof to === "string" ? [to] : (to ?? undefined);
  if (users === undefined)
    throw new WakeshiftError("to_required", `${event.name} is personal: say in \`to\` which user or users this is for.`);
  if (!Array.isArray(users)) throw new WakeshiftError("bad_request", "`to` must be a user's id, or a list of them.");
  if (users.length === 0) throw new WakeshiftError("to_required", `${event.name} is personal, and \`to\` names nobody.`);
  if (users.length > LIMITS.emitRecipients) {
    throw new WakeshiftError(
      "bad_request",
      `\`to\` names ${String(users.length)} users; ${String(LIMITS.emitRecipients)} are allowed in one emit.`,
    );
  }
  if (!users.every((user) => typeof user === "string"))
    throw new WakeshiftError("bad_request", "`to` must be a user's id, or a list of them: strings.");
  if (users.some((user) => user.trim() === ""))
    throw new WakeshiftError("to_required", `${event.name} is personal, and a blank \`to\` is nobody.`);
  return to;
}

function idOf(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  if (typeof id !== "string" || id === "" || byteLength(id) > LIMITS.occurrenceIdBytes) {
    throw new WakeshiftError("bad_request", `\`id\` must be a string of 1 to ${String(LIMITS.occurrenceIdBytes)} bytes.`);
  }
  return id;
}

function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}

function cutToBytes(text: string, most: number): string {
  if (byteLength(text) <= most) return text;
  const kept = new TextDecoder().decode(encoder.encode(text).subarray(0, most - 3), { stream: true });
  return `${kept}…`;
}
