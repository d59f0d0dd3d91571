import type { Via } from "@wakeshift/protocol";
import type { EventRecord, Instant, PutEventsResult } from "../store.ts";
import type { Effects } from "./file/effects.ts";
import type { Events } from "./tables/events.ts";
import { ENDED_PER_WRITE } from "./tables/subscriptions.ts";
import type { Subscriptions } from "./tables/subscriptions.ts";

export interface PublishingTables {
  readonly events: Events;
  readonly subscriptions: Subscriptions;
}

/** The paths a tools-only event is closed to. */
const OTHER_PATHS: readonly Via[] = ["subscribe_events", "native"];

/**
 * Stores what differs, as one write, and ends what an event that closes was open to.
 *
 * All of an event's subscriptions end in this one write, however many: else a core that stops in between would go on
 * delivering to somebody the event is closed to.
 */
export function putEvents(
  { events, subscriptions }: PublishingTables,
  given: readonly EventRecord[],
  now: Instant,
  effects: Effects,
): PutEventsResult {
  const changed = events.changed(given);
  const closed: { name: string; ended: number }[] = [];
  for (const event of changed) {
    const before = events.find(event.appId, event.name);
    events.put(event);
    if (before === undefined || !isOpen(before) || isOpen(event)) continue;
    const filter = { appId: event.appId, event: event.name, via: OTHER_PATHS };
    let ended = 0;
    for (let step = ENDED_PER_WRITE; step === ENDED_PER_WRITE; ended += step) {
      step = subscriptions.endSome(filter, "revoked", now, Number.MAX_SAFE_INTEGER, effects);
    }
    closed.push({ name: event.name, ended });
  }
  return { changed: changed.map((event) => event.name), closed };
}

function isOpen({ access }: EventRecord): boolean {
  return access === undefined || access.length > 0;
}
