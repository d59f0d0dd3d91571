import { splitArguments } from "@wakeshift/protocol";
import { routeOf } from "../../engine/event/event-arguments.ts";
import type { AccessChanges } from "./tables/access-changes.ts";
import type { Apps } from "./tables/apps.ts";
import type { Events } from "./tables/events.ts";
import { hashBytes, hashText } from "./tables/hash.ts";
import type { EmittedRow, Occurrences } from "./tables/occurrences.ts";
import type { Retention } from "./tables/retention.ts";
import { routesIn } from "./tables/retention.ts";

export interface ForgettingTables {
  readonly accessChanges: AccessChanges;
  readonly apps: Apps;
  readonly events: Events;
  readonly occurrences: Occurrences;
  readonly retention: Retention;
}

/** An occurrence that went to a user, and by which route. */
export interface AddressedOccurrence {
  readonly row: EmittedRow;
  readonly route: Buffer;
}

/** Occurrences looked through in one go. */
const PAGE = 500;

/** What of the next page after `seq` went to this user by name; `last`: where to go on, `undefined` at the end. */
export function addressedTo(
  { accessChanges, apps, events, occurrences }: ForgettingTables,
  appId: string,
  user: string,
  seq: number,
): { readonly found: readonly AddressedOccurrence[]; readonly last: number | undefined } {
  const app = apps.numberIfAny(appId);
  const page = occurrences.after(seq, PAGE);
  const found = page.flatMap((row) => {
    const event = row.app === app ? events.find(appId, row.event) : undefined;
    if (event === undefined) return [];
    const args = JSON.parse(row.arguments) as Record<string, unknown>;
    const schemas = [event.argumentsSchema, ...accessChanges.requiredBefore(appId, row.event).map((required) => ({ required }))];
    // A shared event's route has no user in it, so that this one is found on none of its occurrences.
    const routes = schemas.map((schema) => hashBytes(routeOf(event, splitArguments(schema, args).required, user)));
    const own = new Set(routesIn(row.routes).map(hashText));
    const route = routes.find((one) => own.has(hashText(one)));
    return route === undefined ? [] : [{ row, route }];
  });
  return { found, last: page.length < PAGE ? undefined : page.at(-1)?.seq };
}

/** Takes the occurrences from this user's routes, as part of a write. */
export function forgetOccurrences({ retention }: ForgettingTables, addressed: readonly AddressedOccurrence[]): void {
  for (const { row, route } of addressed) retention.removeFromRoute(row, route);
}

/** One bounded step of removing a user's ended subscriptions, as part of a write; answers how many. */
export function forgetSubscriptions({ apps, retention }: ForgettingTables, appId: string, user: string): number {
  const app = apps.numberIfAny(appId);
  return app === undefined ? 0 : retention.removeSubscriptionsOf(app, user);
}
