import { splitArguments } from "@wakeshift/protocol";
import { routeOf } from "../../engine/event/event-arguments.ts";
import type { EventRecord, Instant } from "../../engine/store.ts";
import type { Effects } from "./file/effects.ts";
import type { Apps } from "./tables/apps.ts";
import type { Events } from "./tables/events.ts";
import { hashBytes, hashText } from "./tables/hash.ts";
import type { Occurrences } from "./tables/occurrences.ts";
import type { Retention } from "./tables/retention.ts";
import { routesIn } from "./tables/retention.ts";
import type { Routes } from "./tables/routes.ts";
import type { Subscriptions } from "./tables/subscriptions.ts";

export interface ForgettingTables {
  readonly apps: Apps;
  readonly events: Events;
  readonly occurrences: Occurrences;
  readonly retention: Retention;
  readonly routes: Routes;
  readonly subscriptions: Subscriptions;
}

/** Who is forgotten, and what was there when that was asked for: what came later need not go. */
export interface Forgotten {
  readonly appId: string;
  readonly user: string;
  /** The newest subscription's number. */
  readonly subscription: number;
  /** The newest occurrence's seq. */
  readonly seq: number;
}

/** An occurrence that went to a user, and by which route. */
export interface AddressedOccurrence {
  readonly seq: number;
  readonly route: Buffer;
}

/** Occurrences looked through in one go. */
const PAGE = 500;

/** What of the next page after `seq` went to this user by name; `last`: where to go on, `undefined` at the end. */
export function addressedTo(
  tables: ForgettingTables,
  { appId, user }: Forgotten,
  seq: number,
): { readonly found: readonly AddressedOccurrence[]; readonly last: number | undefined } {
  const app = tables.apps.numberIfAny(appId);
  const page = tables.occurrences.after(seq, PAGE);
  const known = new Map<string, Addressing | undefined>();
  const found = page.flatMap((row) => {
    if (row.app !== app) return [];
    if (!known.has(row.event)) known.set(row.event, addressing(tables, appId, row.event));
    const event = known.get(row.event);
    if (event === undefined) return [];
    const args = JSON.parse(row.arguments) as Record<string, unknown>;
    // A shared event's route has no user in it, so that this one is found on none of its occurrences.
    const routes = event.schemas.map((schema) => hashBytes(routeOf(event.record, splitArguments(schema, args).required, user)));
    const own = new Set(routesIn(row.routes).map(hashText));
    const route = routes.find((one) => own.has(hashText(one)));
    return route === undefined ? [] : [{ seq: row.seq, route }];
  });
  return { found, last: page.length < PAGE ? undefined : page.at(-1)?.seq };
}

/** What an event's routes are made by, now and before. */
interface Addressing {
  readonly record: EventRecord;
  readonly schemas: readonly Readonly<Record<string, unknown>>[];
}

function addressing({ events }: ForgettingTables, appId: string, name: string): Addressing | undefined {
  const record = events.find(appId, name);
  if (record === undefined) return undefined;
  return { record, schemas: [record.argumentsSchema, ...events.formerRequirements(appId, name).map((required) => ({ required }))] };
}

/**
 * Takes the occurrences from this user's routes, as part of a write; answers how many. What came after the user was to be forgotten
 * stays where they subscribed meanwhile and wait for it.
 */
export function forgetOccurrences(
  { occurrences, retention, routes }: ForgettingTables,
  forgotten: Forgotten,
  addressed: readonly AddressedOccurrence[],
): number {
  let removed = 0;
  for (const { seq, route } of addressed) {
    // Another user of it may have been forgotten since it was found.
    const now = occurrences.routesOf(seq);
    if (now === undefined || !routesIn(now).some((one) => one.equals(route))) continue;
    if (seq > forgotten.seq && routes.live(route) > 0) continue;
    retention.removeFromRoute(seq, now, route);
    removed += 1;
  }
  return removed;
}

/** One bounded step of removing a user's subscriptions, as part of a write; answers how many. */
export function forgetSubscriptions(
  { apps, retention, subscriptions }: ForgettingTables,
  { appId, user, subscription }: Forgotten,
  now: Instant,
  effects: Effects,
): number {
  const app = apps.numberIfAny(appId);
  if (app === undefined) return 0;
  // Ended before, but for those whose time was over and nobody had noted it.
  return retention.removeSubscriptionsOf(app, user, subscription, (row) => subscriptions.end(row, "expired", now, effects));
}
