import { LIMITS } from "../limits.ts";

const NAME = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*){0,4}$/;

/** Tells a good event name: one to five dotted lowercase words, at most 64 characters, not under `wakeshift.`, which is ours. */
export function isEventName(text: string): boolean {
  return text.length <= LIMITS.eventNameCharacters && NAME.test(text) && !text.startsWith("wakeshift.");
}
