import { argumentsText, canonicalJson, routeText, splitArguments, WakeshiftError } from "@wakeshift/protocol";
import type { EventRecord, Hash } from "../store.ts";
import { sha256Hex } from "../hash.ts";

/** An event's arguments once they are checked. */
export interface EventArguments {
  /** Canonical JSON of all of them. */
  readonly text: string;
  readonly required: Readonly<Record<string, unknown>>;
  /** Canonical JSON of the optional ones given: the subscriber's filter. */
  readonly filter: string;
}

/**
 * Splits arguments into what makes the route and what filters.
 *
 * @param fault - what the event's schema found wrong with them
 * @throws WakeshiftError `bad_arguments`
 */
export function checkArguments(event: EventRecord, args: Readonly<Record<string, unknown>>, fault: string | undefined): EventArguments {
  const text = argumentsText(args);
  if (fault !== undefined) throw new WakeshiftError("bad_arguments", `The arguments of ${event.name} don't match its schema: ${fault}.`);
  const { required, optional } = splitArguments(event.argumentsSchema, args);
  return { text, required, filter: canonicalJson(optional) };
}

/** Whether an event's occurrences go only to the users an emit names. */
export function isPersonal(event: EventRecord): boolean {
  return event.access?.includes("personal") === true;
}

/** The route that an occurrence and its subscribers share. `user`: for personal events only. */
export function routeOf(event: EventRecord, required: Readonly<Record<string, unknown>>, user: string | undefined): Hash {
  const parts = { app: event.appId, event: event.name, required };
  return sha256Hex(routeText(user === undefined ? parts : { ...parts, user }));
}
