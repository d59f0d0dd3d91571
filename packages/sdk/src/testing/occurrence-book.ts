import { WakeshiftError, matchesFilter } from "@wakeshift/protocol";
import type { KeptSubscription } from "./subscription-book.ts";

/** One emit, as it was stored. */
export interface Occurrence {
  readonly seq: number;
  readonly id: string;
  readonly event: string;
  /** Canonical JSON. */
  readonly argumentsText: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  readonly text: string;
  readonly emittedAt: number;
  readonly routes: readonly string[];
  /** Live subscriptions on its routes when it was first emitted. */
  readonly matched: number;
}

/** What was emitted, oldest first. */
export class OccurrenceBook {
  #occurrences: readonly (Occurrence | undefined)[] = [];

  get newest(): number {
    return this.#occurrences.length;
  }

  get #kept(): readonly Occurrence[] {
    return this.#occurrences.filter((each) => each !== undefined);
  }

  /** @throws WakeshiftError `bad_request` (409) where the id names another occurrence */
  emit(input: Omit<Occurrence, "seq">): { readonly occurrence: Occurrence; readonly duplicate: boolean } {
    const first = this.#kept.find((each) => each.id === input.id);
    if (first === undefined) {
      const occurrence = { ...input, seq: this.newest + 1 };
      this.#occurrences = [...this.#occurrences, occurrence];
      return { occurrence, duplicate: false };
    }
    if (first.event === input.event && first.argumentsText === input.argumentsText) return { occurrence: first, duplicate: true };
    throw new WakeshiftError(
      "bad_request",
      `The id ${input.id} was used for another occurrence. Give each occurrence of this app an id of its own.`,
      { status: 409 },
    );
  }

  /** After which seq a subscription with replay starts: just before the newest occurrence since then that it wants. */
  startOf(wanted: Pick<KeptSubscription, "route" | "filter">, since: number | undefined): number {
    if (since === undefined) return this.newest;
    const replayed = this.#kept.findLast((each) => each.emittedAt >= since && isFor(each, wanted));
    return replayed === undefined ? this.newest : replayed.seq - 1;
  }

  /** What a subscription has yet to get, oldest first. */
  pending(subscription: KeptSubscription): readonly Occurrence[] {
    return this.#kept.filter((each) => each.seq > subscription.start && !subscription.handed.has(each.seq) && isFor(each, subscription));
  }

  /** Takes each occurrence off the route named for it, and deletes those that no route is left for. false: there were none. */
  forget(routeOf: (occurrence: Occurrence) => string | undefined): boolean {
    let found = false;
    this.#occurrences = this.#occurrences.map((each) => {
      const route = each === undefined ? undefined : routeOf(each);
      if (each === undefined || route === undefined || !each.routes.includes(route)) return each;
      found = true;
      const routes = each.routes.filter((other) => other !== route);
      return routes.length === 0 ? undefined : { ...each, routes };
    });
    return found;
  }
}

function isFor(occurrence: Occurrence, { route, filter }: Pick<KeptSubscription, "route" | "filter">): boolean {
  return occurrence.routes.includes(route) && matchesFilter(filter, occurrence.arguments, occurrence.payload);
}
