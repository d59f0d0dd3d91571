import { closesEvent, shapeOf } from "../../engine/event/event-shape.ts";
import type { EventRecord, Instant, PutEventsResult } from "../../engine/store.ts";
import type { Effects } from "./file/effects.ts";
import type { AccessChanges } from "./tables/access-changes.ts";
import type { Events } from "./tables/events.ts";
import type { Subscriptions } from "./tables/subscriptions.ts";
import { ENDED_PER_WRITE } from "./tables/subscriptions.ts";

export interface PublishingTables {
  readonly accessChanges: AccessChanges;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
}

/** Who published, and when. */
export interface Published {
  readonly now: Instant;
  readonly sdk: string | undefined;
}

/** How long a closing is stated to whoever publishes its event: also to a publisher whose first answer was lost, and to a second instance. */
const STATED_MS = 60_000;

/**
 * Stores what differs, as one write; returns the names. What a closing takes from other paths is in force with this write, by the
 * event's `closed_through`. The first ends are part of it, the others are left to housekeeping.
 */
export function putEvents(
  { accessChanges, events, subscriptions }: PublishingTables,
  given: readonly EventRecord[],
  { now, sdk }: Published,
  effects: Effects,
): readonly string[] {
  const changed = events.changed(given);
  let closes = false;
  for (const event of changed) {
    const before = events.find(event.appId, event.name);
    events.put(event);
    if (before === undefined) continue;
    if (shapeOf(before) !== shapeOf(event)) {
      events.keepRequirements(before);
      effects.reshaped.push({ appId: event.appId, event: event.name, shape: shapeOf(event) });
    }
    if (JSON.stringify(before.access) === JSON.stringify(event.access)) continue;
    const isClosing = closesEvent(before, event);
    const ended = isClosing ? subscriptions.countOfOtherPaths(event.appId, event.name, now) : 0;
    if (isClosing) events.closeThrough(event.appId, event.name, subscriptions.newestNumber());
    accessChanges.add(before, event, { at: now, sdk, ended });
    closes ||= ended > 0;
  }
  if (closes) subscriptions.endClosed(now, effects, ENDED_PER_WRITE);
  return changed.map((event) => event.name);
}

/** What publishing these events is answered with: the closings of the last minute, and who no emit matches as they are stored now. */
export function statePublished(
  { accessChanges, events, subscriptions }: PublishingTables,
  given: readonly EventRecord[],
  now: Instant,
): Pick<PutEventsResult, "closed" | "stranded"> {
  const closed: { readonly name: string; readonly ended: number }[] = [];
  const stranded: { readonly name: string; readonly live: number }[] = [];
  for (const { appId, name } of given) {
    const event = events.find(appId, name);
    if (event === undefined) continue;
    const change = accessChanges.newestOf(appId, name);
    if (change !== undefined && now - change.at < STATED_MS && closesEvent({ access: change.before }, { access: change.after }))
      closed.push({ name, ended: change.ended });
    const live = subscriptions.countOfOtherShapes(appId, name, shapeOf(event), now);
    if (live > 0) stranded.push({ name, live });
  }
  return { closed, stranded };
}
