import { LIMITS, WakeshiftError, canonicalJson } from "@wakeshift/protocol";
import type { EventDefinition } from "./event-definition.ts";

declare const CHECKED: unique symbol;

/**
 * An event's arguments as its schema has taken them. A schema may change what it takes, so taking it again might give something
 * else: what is authorized, sent and reported needs this type, and {@link checkArguments}, which alone makes it, refuses it.
 */
export interface CheckedArguments {
  readonly [CHECKED]: true;
  readonly event: EventDefinition;
  /** As they travel. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Canonical JSON of `values`. */
  readonly canonical: string;
}

const encoder = new TextEncoder();

/** Takes arguments by their event's schema. @throws WakeshiftError `bad_arguments` */
export async function checkArguments<Given>(
  event: EventDefinition,
  given: Given extends CheckedArguments ? never : Given,
): Promise<CheckedArguments> {
  const field = `The arguments of ${event.name}`;
  const values = (await event.args.check(given, "bad_arguments", field)) as CheckedArguments["values"];
  const canonical = canonicalJson(values);
  const bytes = encoder.encode(canonical).byteLength;
  if (bytes > LIMITS.argumentsBytes)
    throw new WakeshiftError("bad_arguments", `${field} are ${String(bytes)} bytes of JSON; ${String(LIMITS.argumentsBytes)} are allowed.`);
  return { event, values, canonical } as CheckedArguments;
}
