import { mayBeUsedBy, WakeshiftError } from "@wakeshift/protocol";
import type { Via } from "@wakeshift/protocol";
import type { EventRecord } from "../../store/store.ts";

/** Refuses a path that an event isn't open to. @throws WakeshiftError `not_open` */
export function assertOpen(event: EventRecord, via: Via): void {
  if (!mayBeUsedBy(event.access, via)) throw notOpen(event, via);
}

/** What is told to a path that an event isn't open to. */
export function notOpen(event: EventRecord, via: Via): WakeshiftError {
  const path = via === "native" ? "a client of its own accord" : "subscribe_events";
  return new WakeshiftError(
    "not_open",
    `${event.name} is open to its app's own tools only, not to ${path}. Its author can open it with personal, authorize or public.`,
  );
}
