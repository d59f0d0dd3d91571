import type { CoreIdentity, Ended, EndedReason } from "@wakeshift/protocol";
import { ticketIdOf } from "../engine/hash.ts";
import type { Hash, Store } from "../engine/store.ts";
import type { Hub } from "./hub.ts";
import type { AskedTickets } from "./tickets.ts";
import { wakeJson } from "./wake-json.ts";
import type { WakeSink } from "./wake-sink.ts";
import { nextLook } from "./watch.ts";
import type { Watch } from "./watch.ts";

/** What every reader of a core shares. */
export interface ReaderParts {
  readonly store: Store;
  /** Which core the wakes come from. */
  readonly core: CoreIdentity;
  readonly hub: Hub;
  readonly clock: { now(): number; monotonic(): number };
  readonly leaseMs: number;
  readonly appOf: (appId: string) => Promise<{ readonly id: string; readonly name: string }>;
  /** Told of a fault that the reader will try again. */
  readonly onFault: (fault: unknown) => void;
}

/** What the tickets of a request turned out to be good for. */
export interface ResolvedTickets {
  readonly ended: readonly Ended[];
  readonly live: readonly Watch[];
}

/** Wakes leased in one go. */
const CLAIM_LIMIT = 16;
/** Wakes of one subscription that may wait for their ack; a taker that acks nothing is handed no more. */
const MAX_OUTSTANDING = 64;
/** A taker that let a lease run out steps behind the others of its subscription, for it may be dead. */
const STEP_BACK_MS = 250;
/** How far the store's end of a lease and the reader's may lie apart. */
const OWN_LEASE_MS = 50;
const FAULT_PAUSE_MS = 1_000;
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Reads what is pending for the tickets of one taker into a sink. It stands behind the stream and the long poll alike.
 *
 * A subscription is looked at (`claim`) when it is added, when its route gets an occurrence, when an ack made room, when a lease
 * ran out, and when another taker let go. Between these nothing runs.
 */
export class Reader {
  readonly #parts: ReaderParts;
  readonly #sink: WakeSink;
  readonly #taker: string;
  readonly #onIdle: () => void;
  readonly #watches = new Set<Watch>();
  readonly #toLook = new Set<Watch>();
  #pumping: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param taker - names this reader in leases; unique among all readers.
   * @param onIdle - called when the last subscription it followed has ended.
   */
  constructor(parts: ReaderParts, sink: WakeSink, taker: string, onIdle: () => void = () => undefined) {
    this.#parts = parts;
    this.#sink = sink;
    this.#taker = taker;
    this.#onIdle = onIdle;
  }

  /** Asks the store what the tickets are good for. @throws what the store throws, with nothing followed yet */
  async resolve(tickets: AskedTickets, holderHash: Hash): Promise<ResolvedTickets> {
    const ended: Ended[] = tickets.malformed.map((ticketId) => ({ ticket_id: ticketId, reason: "unknown" }));
    const live: Watch[] = [];
    for (const resolution of await this.#parts.store.resolveTickets(tickets.hashes, holderHash, this.#parts.clock.now())) {
      const ticketId = ticketIdOf(resolution.ticketHash);
      if (resolution.kind === "unknown") ended.push({ ticket_id: ticketId, reason: "unknown" });
      else if (resolution.kind === "ended")
        ended.push({ subscription: resolution.subscriptionId, ticket_id: ticketId, reason: resolution.reason });
      else {
        const { ticketHash, subscription } = resolution;
        const app = await this.#parts.appOf(subscription.appId);
        live.push({ ticketHash, ticketId, subscription, app, stranded: subscription.stranded, outstanding: new Map(), retryAt: undefined });
      }
    }
    return { ended, live };
  }

  /** Reports the tickets that receive nothing, and follows the others. Answers those. */
  follow(resolved: ResolvedTickets): readonly Watch[] {
    for (const ended of resolved.ended) this.#sink.ended(ended);
    if (this.#closed) return [];
    for (const watch of resolved.live) {
      this.#watches.add(watch);
      this.#toLook.add(watch);
    }
    // It tells at once of what ended meanwhile, which must not look like the last one.
    for (const watch of resolved.live) this.#parts.hub.add(watch, this);
    return [...this.#watches];
  }

  /** Reads what there is. Also called when the sink has room again. */
  resume(): void {
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      if (!this.#closed && this.#toLook.size > 0 && this.#sink.hasRoom()) this.resume();
    });
  }

  /** Resolves once everything that could be read now is in the sink. */
  async settled(): Promise<void> {
    while (this.#pumping !== undefined) await this.#pumping;
  }

  /**
   * Follows nothing any more.
   *
   * @param handOn - true: what was put into the sink may not have arrived; it is given back for other takers at once.
   * @param pollsAgain - its consumer is about to ask again, and counts as connected meanwhile
   */
  async close(handOn: boolean, pollsAgain = false): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watch of this.#watches) {
      this.#parts.hub.remove(watch);
      if (pollsAgain) this.#parts.hub.pollsAgain(watch);
    }
    await this.settled();
    if (!handOn) return;
    try {
      await this.#parts.store.release(this.#taker);
    } catch (fault) {
      // The leases run out by themselves.
      this.#parts.onFault(fault);
    }
  }

  look(watch: Watch): void {
    this.#toLook.add(watch);
    if (this.#sink.hasRoom()) this.resume();
  }

  ended(watch: Watch, reason: EndedReason): void {
    if (!this.#watches.has(watch)) return;
    this.#drop(watch);
    this.#sink.ended({ subscription: watch.subscription.id, ticket_id: watch.ticketId, reason });
    if (this.#watches.size === 0) this.#onIdle();
  }

  stranded(watch: Watch, stranded: boolean): void {
    if (!this.#watches.has(watch) || watch.stranded === stranded) return;
    watch.stranded = stranded;
    this.#sink.stranded({ subscription: watch.subscription.id, ticket_id: watch.ticketId, stranded });
  }

  acked(watch: Watch, occurrenceId: string): void {
    const wasFull = watch.outstanding.size >= MAX_OUTSTANDING || watch.subscription.once;
    if (watch.outstanding.delete(occurrenceId) && wasFull) this.look(watch);
  }

  tick(now: number): void {
    for (const watch of [...this.#watches]) if (watch.subscription.expiresAt <= now) this.ended(watch, "expired");
  }

  #drop(watch: Watch): void {
    this.#watches.delete(watch);
    this.#toLook.delete(watch);
    this.#parts.hub.remove(watch);
  }

  async #pump(): Promise<void> {
    // Several emits of one turn are looked at once.
    await Promise.resolve();
    for (const watch of this.#toLook) {
      if (this.#closed || !this.#sink.hasRoom()) break;
      this.#toLook.delete(watch);
      if (watch.outstanding.size < MAX_OUTSTANDING) await this.#claim(watch);
    }
    this.#setTimer();
  }

  async #claim(watch: Watch): Promise<void> {
    const { store, clock, leaseMs } = this.#parts;
    watch.retryAt = undefined;
    const limit = Math.min(CLAIM_LIMIT, MAX_OUTSTANDING - watch.outstanding.size);
    try {
      const { wakes, gap, retryInMs } = await store.claim(watch.subscription.id, this.#taker, limit);
      // Ended while it was read: nothing more of it may leave.
      if (!this.#watches.has(watch)) return;
      if (gap) this.#sink.gap({ subscription: watch.subscription.id, ticket_id: watch.ticketId });
      const now = clock.monotonic();
      for (const wake of wakes) {
        watch.outstanding.set(wake.occurrenceId, now + leaseMs);
        this.#sink.wake(wakeJson(wake, { subscription: watch.subscription, ticketId: watch.ticketId, app: watch.app, leaseMs }));
      }
      if (wakes.length >= limit) this.#toLook.add(watch);
      watch.retryAt = retryInMs === undefined ? undefined : retryOf(watch, now + retryInMs + 1);
    } catch (fault) {
      this.#parts.onFault(fault);
      watch.retryAt = clock.monotonic() + FAULT_PAUSE_MS;
    }
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    let next = Number.POSITIVE_INFINITY;
    for (const watch of this.#watches) next = Math.min(next, nextLook(watch) ?? next);
    if (next === Number.POSITIVE_INFINITY) return;
    const inMs = Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(next - this.#parts.clock.monotonic()) + 1));
    this.#timer = setTimeout(() => this.#lookAfter(), inMs);
    this.#timer.unref();
  }

  #lookAfter(): void {
    const now = this.#parts.clock.monotonic();
    for (const watch of this.#watches) {
      if (watch.retryAt !== undefined && watch.retryAt <= now) {
        watch.retryAt = undefined;
        this.#toLook.add(watch);
      }
      let lapsed = false;
      for (const [occurrenceId, until] of watch.outstanding) {
        if (until <= now) lapsed = watch.outstanding.delete(occurrenceId) || lapsed;
      }
      if (!lapsed) continue;
      if (this.#parts.hub.letOthersLook(watch)) watch.retryAt = now + STEP_BACK_MS;
      else this.#toLook.add(watch);
    }
    if (this.#toLook.size > 0 && this.#sink.hasRoom()) this.resume();
    else this.#setTimer();
  }
}

/** A time that is only the end of one of the reader's own leases is none: its end is noticed anyway, and handled with less haste. */
function retryOf(watch: Watch, at: number): number | undefined {
  const ownEnd = Math.min(...watch.outstanding.values());
  return watch.outstanding.size === 0 || at < ownEnd - OWN_LEASE_MS ? at : undefined;
}
