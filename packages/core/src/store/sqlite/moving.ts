import { canonicalJson } from "@wakeshift/protocol";
import type { Effects } from "./file/effects.ts";
import { hashText } from "./tables/hash.ts";
import type { Moves } from "./tables/moves.ts";
import type { SubscriptionRow, Subscriptions } from "./tables/subscriptions.ts";

/** Where a subscription is reached from the occurrence after `seq` on. */
export interface NewRoute {
  readonly route: Buffer;
  /** Its arguments that the event doesn't require now, so that they make no route. */
  readonly optional: Readonly<Record<string, unknown>>;
  readonly seq: number;
}

/**
 * Reaches a subscription by another route; what was emitted up to `seq` is still read from the old one. An argument that made the
 * old route and doesn't make the new one goes on to count, as a filter.
 */
export function moveTo(
  { moves, subscriptions }: { readonly moves: Moves; readonly subscriptions: Subscriptions },
  row: SubscriptionRow,
  { route, optional, seq }: NewRoute,
  effects: Effects,
): void {
  if (route.equals(row.route)) return;
  const filter = canonicalJson({ ...(JSON.parse(row.filter) as Record<string, unknown>), ...optional });
  moves.add(row, { until: seq, route: row.route });
  subscriptions.move(row, { route, filter, seq });
  effects.moved.push({ subscriptionId: row.id, route: hashText(route) });
}
