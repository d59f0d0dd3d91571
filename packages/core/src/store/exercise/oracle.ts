import type { AckResult } from "../../engine/store.ts";

interface ModelOccurrence {
  readonly id: string;
  readonly route: number;
  readonly color: string;
}

interface ModelSubscription {
  readonly route: number;
  readonly color: string | undefined;
  readonly once: boolean;
  /** Index of the first occurrence that may be its own. */
  readonly start: number;
  readonly handed: Set<string>;
  readonly leases: Map<string, { readonly taker: string; readonly until: number }>;
  live: boolean;
}

/** What a store must do, said as simply as possible: everything in arrays, everything searched from the start. */
export class Oracle {
  readonly occurrences: ModelOccurrence[] = [];
  readonly subscriptions: ModelSubscription[] = [];

  /** Answers `matched`. */
  emit(id: string, route: number, color: string): number {
    this.occurrences.push({ id, route, color });
    return this.subscriptions.filter((one) => one.live && one.route === route).length;
  }

  subscribe(route: number, color: string | undefined, once: boolean, replay: boolean): void {
    const wanted = (one: ModelOccurrence): boolean => one.route === route && (color === undefined || one.color === color);
    const newest = replay ? this.occurrences.findLastIndex(wanted) : -1;
    const start = newest === -1 ? this.occurrences.length : newest;
    this.subscriptions.push({ route, color, once, start, handed: new Set(), leases: new Map(), live: true });
  }

  claim(index: number, taker: string, limit: number, now: number, leaseMs: number): readonly string[] {
    const subscription = this.subscriptions[index];
    if (subscription === undefined || !subscription.live) return [];
    for (const [id, lease] of subscription.leases) if (lease.until <= now) subscription.leases.delete(id);
    const room = subscription.once ? Math.min(limit, 1 - subscription.leases.size) : limit;
    const free = this.own(subscription).filter((one) => !subscription.handed.has(one.id) && !subscription.leases.has(one.id));
    const claimed = free.slice(0, Math.max(0, room)).map((one) => one.id);
    for (const id of claimed) subscription.leases.set(id, { taker, until: now + leaseMs });
    return claimed;
  }

  ack(index: number, id: string): AckResult {
    const subscription = this.subscriptions[index];
    if (subscription === undefined || !this.own(subscription).some((one) => one.id === id)) return "unknown";
    if (!subscription.live || subscription.handed.has(id)) return "late";
    subscription.handed.add(id);
    subscription.leases.delete(id);
    if (subscription.once) this.end(index);
    return "ok";
  }

  release(taker: string): void {
    for (const { leases } of this.subscriptions) for (const [id, lease] of leases) if (lease.taker === taker) leases.delete(id);
  }

  /** A new process: no connection and so no lease is left. */
  restart(): void {
    for (const { leases } of this.subscriptions) leases.clear();
  }

  end(index: number): boolean {
    const subscription = this.subscriptions[index];
    if (subscription === undefined || !subscription.live) return false;
    subscription.live = false;
    subscription.leases.clear();
    return true;
  }

  private own(subscription: ModelSubscription): readonly ModelOccurrence[] {
    return this.occurrences
      .slice(subscription.start)
      .filter((one) => one.route === subscription.route && (subscription.color ?? one.color) === one.color);
  }
}
