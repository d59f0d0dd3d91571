import { BelievedTime } from "@wakeshift/protocol";
import type { EndedReason } from "@wakeshift/protocol";
import type { Hash, Store } from "../engine/store.ts";
import type { Watch } from "./watch.ts";

/** A reader as the hub sees it. All of these are told after a commit and must return at once. */
export interface Listener {
  /** Something new may be there for this watch. */
  look(watch: Watch): void;
  /** The subscription receives nothing more. */
  ended(watch: Watch, reason: EndedReason): void;
  /** The subscription is stranded from now on, or isn't any more. */
  stranded(watch: Watch, stranded: boolean): void;
  /** Somebody acked an occurrence this reader was handed. */
  acked(watch: Watch, occurrenceId: string): void;
  /** Called about once a second with the believed time, by which subscriptions end. */
  tick(now: number): void;
}

/** How long a consumer that polls counts as connected after its answer: it asks again at once. */
const POLLS_AGAIN_MS = 5_000;

/** How long an end is remembered for a reader that was just resolving its tickets. */
const RECENT_MS = 10_000;

/** Brings what the store tells to the readers it concerns. */
export class Hub {
  readonly #listeners = new Map<Watch, Listener>();
  readonly #byRoute = new Map<Hash, Set<Watch>>();
  readonly #bySubscription = new Map<string, Set<Watch>>();
  readonly #byTicket = new Map<Hash, Set<Watch>>();
  /** By subscription id, or by hash of a ticket that was replaced. `at` is monotonic. */
  readonly #recentEnds = new Map<string, { readonly reason: EndedReason; readonly at: number }>();
  /** Subscriptions that a long poll was just answered for, by route, with the time (monotonic) until which they count as connected. */
  readonly #polled = new Map<Hash, Map<string, number>>();
  readonly #clock: { now(): number; monotonic(): number };
  readonly #time = new BelievedTime();
  readonly #stopListening: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(store: Store, clock: { now(): number; monotonic(): number }) {
    this.#clock = clock;
    this.#time.at(clock.now(), clock.monotonic());
    this.#stopListening = store.listen({
      emitted: (routes) => {
        for (const route of routes) for (const watch of [...(this.#byRoute.get(route) ?? [])]) this.#listeners.get(watch)?.look(watch);
      },
      reshaped: (reshaped) => {
        for (const each of reshaped) this.#reshape(each);
      },
      available: (subscriptionIds) => {
        for (const id of subscriptionIds)
          for (const watch of [...(this.#bySubscription.get(id) ?? [])]) this.#listeners.get(watch)?.look(watch);
      },
      ended: (ends) => {
        for (const end of ends) this.#end(end.subscriptionId, this.#bySubscription.get(end.subscriptionId), end.reason);
      },
      retired: (ticketHashes) => {
        for (const hash of ticketHashes) this.#end(hash, this.#byTicket.get(hash), "replaced");
      },
    });
    this.#timer = setInterval(() => this.#tick(), 1_000);
    this.#timer.unref();
  }

  /** Follows a watch. An end that happened while its ticket was being resolved is told at once. */
  add(watch: Watch, listener: Listener): void {
    this.#listeners.set(watch, listener);
    put(this.#byRoute, watch.subscription.route, watch);
    put(this.#bySubscription, watch.subscription.id, watch);
    put(this.#byTicket, watch.ticketHash, watch);
    const recent = this.#recentEnds.get(watch.subscription.id) ?? this.#recentEnds.get(watch.ticketHash);
    if (recent !== undefined) listener.ended(watch, recent.reason);
  }

  remove(watch: Watch): void {
    if (!this.#listeners.delete(watch)) return;
    take(this.#byRoute, watch.subscription.route, watch);
    take(this.#bySubscription, watch.subscription.id, watch);
    take(this.#byTicket, watch.ticketHash, watch);
  }

  /** Counts a removed watch as connected for a moment longer: its consumer polls, and is about to ask again. */
  pollsAgain(watch: Watch): void {
    const polled = this.#polled.get(watch.subscription.route) ?? new Map<string, number>();
    polled.set(watch.subscription.id, this.#clock.monotonic() + POLLS_AGAIN_MS);
    this.#polled.set(watch.subscription.route, polled);
  }

  /** How many subscriptions on these routes a consumer holds a ticket of now. */
  connected(routes: readonly Hash[]): number {
    let count = 0;
    for (const route of routes) {
      const [watches, polled] = [this.#byRoute.get(route), this.#polled.get(route)];
      if (watches === undefined && polled === undefined) continue;
      const subscriptions = new Set(polled?.keys());
      for (const watch of watches ?? []) subscriptions.add(watch.subscription.id);
      count += subscriptions.size;
    }
    return count;
  }

  /** Lets the other readers of a subscription look first, when this one lets go of what it held. true: there are others. */
  letOthersLook(watch: Watch): boolean {
    const others = [...(this.#bySubscription.get(watch.subscription.id) ?? [])].filter((other) => other !== watch);
    for (const other of others) this.#listeners.get(other)?.look(other);
    return others.length > 0;
  }

  /** An occurrence was acked with this ticket. Told to every reader of its subscription. */
  acked(ticketHash: Hash, occurrenceId: string): void {
    const [known] = this.#byTicket.get(ticketHash) ?? [];
    if (known === undefined) return;
    const subscriptionId = known.subscription.id;
    for (const watch of [...(this.#bySubscription.get(subscriptionId) ?? [])]) this.#listeners.get(watch)?.acked(watch, occurrenceId);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopListening();
  }

  #reshape({ appId, event, shape }: { readonly appId: string; readonly event: string; readonly shape: string }): void {
    for (const [watch, listener] of this.#listeners) {
      const { subscription } = watch;
      if (subscription.appId !== appId || subscription.event !== event || subscription.shape === undefined) continue;
      listener.stranded(watch, subscription.shape !== shape);
    }
  }

  #end(key: string, watches: ReadonlySet<Watch> | undefined, reason: EndedReason): void {
    this.#recentEnds.set(key, { reason, at: this.#clock.monotonic() });
    for (const watch of [...(watches ?? [])]) this.#listeners.get(watch)?.ended(watch, reason);
  }

  #tick(): void {
    const monotonic = this.#clock.monotonic();
    for (const [id, { at }] of this.#recentEnds) if (monotonic - at > RECENT_MS) this.#recentEnds.delete(id);
    for (const [route, polled] of this.#polled) {
      for (const [id, until] of polled) if (until <= monotonic) polled.delete(id);
      if (polled.size === 0) this.#polled.delete(route);
    }
    const now = this.#time.at(this.#clock.now(), monotonic);
    for (const listener of new Set(this.#listeners.values())) listener.tick(now);
  }
}

function put(index: Map<string, Set<Watch>>, key: string, watch: Watch): void {
  const watches = index.get(key);
  if (watches === undefined) index.set(key, new Set([watch]));
  else watches.add(watch);
}

function take(index: Map<string, Set<Watch>>, key: string, watch: Watch): void {
  const watches = index.get(key);
  watches?.delete(watch);
  if (watches?.size === 0) index.delete(key);
}
