interface Lease {
  readonly taker: string;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/**
 * Which occurrence of which subscription is out with which taker.
 *
 * Kept in memory, on the monotonic clock: one process owns the database file, so nobody else could lease the same,
 * and after a restart every taker's connection is gone anyway. A step of the wall clock changes nothing here.
 */
export class Leases {
  private readonly bySubscription = new Map<string, Map<number, Lease>>();
  private readonly byTaker = new Map<string, Set<string>>();

  take(subscriptionId: string, seq: number, taker: string, until: number): void {
    const leases = this.bySubscription.get(subscriptionId) ?? new Map<number, Lease>();
    this.bySubscription.set(subscriptionId, leases.set(seq, { taker, until }));
    const subscriptions = this.byTaker.get(taker) ?? new Set<string>();
    this.byTaker.set(taker, subscriptions.add(subscriptionId));
  }

  /** The seqs of a subscription that are out now, each with its end. Those that ran out are forgotten. */
  live(subscriptionId: string, now: number): ReadonlyMap<number, { readonly until: number }> {
    const leases = this.bySubscription.get(subscriptionId);
    if (leases === undefined) return new Map();
    for (const [seq, lease] of leases) if (lease.until <= now) leases.delete(seq);
    return leases;
  }

  drop(subscriptionId: string, seq: number): void {
    this.bySubscription.get(subscriptionId)?.delete(seq);
  }

  dropSubscription(subscriptionId: string): void {
    this.bySubscription.delete(subscriptionId);
  }

  /** Frees what a taker holds; answers the subscriptions it held something of. */
  release(taker: string): readonly string[] {
    const freed: string[] = [];
    for (const subscriptionId of this.byTaker.get(taker) ?? []) {
      const leases = this.bySubscription.get(subscriptionId);
      if (leases === undefined) continue;
      let held = false;
      for (const [seq, lease] of leases) {
        if (lease.taker !== taker) continue;
        leases.delete(seq);
        held = true;
      }
      if (held) freed.push(subscriptionId);
      if (leases.size === 0) this.bySubscription.delete(subscriptionId);
    }
    this.byTaker.delete(taker);
    return freed;
  }

  /** Forgets what ran out, so that memory follows what is really out. */
  sweep(now: number): void {
    for (const subscriptionId of [...this.bySubscription.keys()]) {
      if (this.live(subscriptionId, now).size === 0) this.bySubscription.delete(subscriptionId);
    }
    for (const [taker, subscriptions] of this.byTaker) {
      for (const subscriptionId of subscriptions) if (!this.bySubscription.has(subscriptionId)) subscriptions.delete(subscriptionId);
      if (subscriptions.size === 0) this.byTaker.delete(taker);
    }
  }
}
