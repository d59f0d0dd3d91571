import type Database from "better-sqlite3";
import type {
  AckResult,
  AppRecord,
  ClaimResult,
  ConversationRecord,
  EmitInput,
  EmitResult,
  EndFilter,
  EventRecord,
  Hash,
  Instant,
  KeyRecord,
  PutEventsResult,
  Store,
  StoreClock,
  StoreListener,
  SubscribeInput,
  SubscribeResult,
  SubscriptionRecord,
  TicketResolution,
} from "../store.ts";
import type { EndedReason } from "@wakeshift/protocol";
import type { Ack } from "./delivering.ts";
import { acknowledge, claim } from "./delivering.ts";
import { CommitQueue } from "./file/commit-queue.ts";
import type { Effects } from "./file/effects.ts";
import { applyEffects } from "./file/effects.ts";
import { LogKeeper } from "./file/log-keeper.ts";
import { storageFailure } from "./file/storage-failure.ts";
import { putEvents } from "./publishing.ts";
import { rollbackCall, subscribe } from "./subscribing.ts";
import { openTables } from "./tables/open-tables.ts";
import type { Tables } from "./tables/open-tables.ts";
import { ENDED_PER_WRITE, subscriptionRecord } from "./tables/subscriptions.ts";
import { ROWS_PER_STEP } from "./tables/retention.ts";
import { endByTicket, resolveTicket } from "./ticketing.ts";

/** Pause before a claim that couldn't move its cursor looks at the same again. */
const SECOND_LOOK_MS = 1_000;

export interface SqliteStoreParts {
  readonly database: Database.Database;
  readonly path: string;
  readonly clock: StoreClock;
  readonly leaseMs: number;
  readonly after: (delayMs: number, work: () => void) => () => void;
  /** Gives up the sole ownership of the file. */
  readonly releaseOwnership: () => void;
}

/** The embedded store: one SQLite file, owned by one process, one connection that reads and writes. */
export class SqliteStore implements Store {
  private readonly parts: SqliteStoreParts;
  private readonly clock: StoreClock;
  private readonly tables: Tables;
  private readonly queue: CommitQueue;
  private readonly log: LogKeeper;
  private readonly listeners = new Set<StoreListener>();
  private closed = false;

  constructor(parts: SqliteStoreParts) {
    this.parts = parts;
    this.clock = parts.clock;
    this.tables = openTables(parts.database, parts.clock);
    this.log = new LogKeeper(parts.database, parts.path, () => parts.clock.monotonic());
    this.queue = new CommitQueue(parts.database, {
      monotonic: () => parts.clock.monotonic(),
      after: parts.after,
      prelude: (effects) => {
        this.tables.jtis.write();
        this.tables.subscriptions.expire(parts.clock.now(), effects, ROWS_PER_STEP);
      },
      committed: (effects) => this.committed(effects),
    });
  }

  createApp(app: AppRecord): Promise<void> {
    return this.queue.write(() => this.tables.apps.create(app));
  }

  listApps(): Promise<readonly AppRecord[]> {
    return this.read(() => this.tables.apps.list());
  }

  findApp(idOrName: string): Promise<AppRecord | undefined> {
    return this.read(() => this.tables.apps.find(idOrName));
  }

  addKey(key: KeyRecord): Promise<void> {
    return this.queue.write(() => this.tables.apps.addKey(key));
  }

  listKeys(appId: string): Promise<readonly KeyRecord[]> {
    return this.read(() => this.tables.apps.listKeys(appId));
  }

  findKey(keyId: string): Promise<KeyRecord | undefined> {
    return this.read(() => this.tables.apps.findKey(keyId));
  }

  revokeKey(keyId: string, at: Instant): Promise<boolean> {
    return this.queue.write(() => this.tables.apps.revokeKey(keyId, at));
  }

  claimJti(jti: string, expiresAt: Instant): Promise<boolean> {
    return this.read(() => {
      const first = this.tables.jtis.claim(jti, expiresAt);
      if (first) this.queue.schedule();
      return first;
    });
  }

  async putEvents(events: readonly EventRecord[], now: Instant): Promise<PutEventsResult> {
    const differing = await this.read(() => this.tables.events.changed(events));
    if (differing.length === 0) return { changed: [], closed: [] };
    return this.queue.write((effects) => putEvents(this.tables, events, now, effects));
  }

  listEvents(appId: string): Promise<readonly EventRecord[]> {
    return this.read(() => this.tables.events.list(appId));
  }

  findEvent(appId: string, name: string): Promise<EventRecord | undefined> {
    return this.read(() => this.tables.events.find(appId, name));
  }

  emit(input: EmitInput): Promise<EmitResult> {
    return this.queue.write((effects) => this.tables.occurrences.emit(input, effects));
  }

  subscribe(input: SubscribeInput): Promise<SubscribeResult> {
    return this.queue.write((effects) => subscribe(this.tables, input, effects));
  }

  findConversation(appId: string, sessionHash: Hash): Promise<ConversationRecord | undefined> {
    return this.read(() => this.tables.conversations.find(appId, sessionHash));
  }

  listSubscriptions(filter: EndFilter, now: Instant): Promise<readonly SubscriptionRecord[]> {
    return this.read(() => this.tables.subscriptions.list(filter, now).map(subscriptionRecord));
  }

  /** Each write ends a bounded number; what is subscribed while this runs stays. */
  async endSubscriptions(filter: EndFilter, reason: EndedReason, now: Instant): Promise<number> {
    const last = await this.read(() => this.tables.subscriptions.newestNumber());
    for (let total = 0; ;) {
      const ended = await this.queue.write((effects) => this.tables.subscriptions.endSome(filter, reason, now, last, effects));
      total += ended;
      if (ended < ENDED_PER_WRITE) return total;
    }
  }

  rollbackCall(appId: string, callId: string, now: Instant): Promise<number> {
    return this.queue.write((effects) => rollbackCall(this.tables, appId, callId, now, effects));
  }

  /** Only a ticket's first use is a write: a bridge that reconnects with hundreds of tickets costs reads. */
  async resolveTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]> {
    let firstUses = 0;
    const resolutions = await this.read(() =>
      ticketHashes.map((hash) => resolveTicket(this.tables, hash, holderHash, now, () => (firstUses += 1))),
    );
    if (firstUses === 0) return resolutions;
    return this.queue.write((effects) => {
      const bind = (number: number, id: string): void => this.tables.tickets.bind(number, id, holderHash, effects);
      return ticketHashes.map((hash) => resolveTicket(this.tables, hash, holderHash, now, bind));
    });
  }

  endByTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]> {
    return this.queue.write((effects) => ticketHashes.map((hash) => endByTicket(this.tables, hash, holderHash, now, effects)));
  }

  async claim(subscriptionId: string, taker: string, limit: number): Promise<ClaimResult> {
    const options = { taker, limit, now: this.clock.now(), monotonic: this.clock.monotonic(), leaseMs: this.parts.leaseMs };
    const { result, subscription, cursor } = await this.read(() => claim(this.tables, subscriptionId, options));
    if (cursor === undefined) return result;
    try {
      await this.queue.write(() => this.tables.subscriptions.moveCursor(subscription, cursor));
      return result;
    } catch {
      // A cursor that didn't move costs a second look, never an occurrence: a full disk must not hold up a wake.
      return { ...result, retryInMs: Math.max(result.retryInMs ?? 0, SECOND_LOOK_MS) };
    }
  }

  release(taker: string): Promise<void> {
    const freed = this.tables.leases.release(taker);
    if (freed.length > 0) for (const listener of [...this.listeners]) listener.available?.(freed);
    return Promise.resolve();
  }

  ack(acks: readonly Ack[], holderHash: Hash, now: Instant): Promise<readonly AckResult[]> {
    return this.queue.write((effects) => acks.map((ack) => acknowledge(this.tables, ack, holderHash, now, effects)));
  }

  async prune(now: Instant, retentionMs: number): Promise<boolean> {
    this.tables.leases.sweep(this.clock.monotonic());
    this.log.check();
    return this.queue.write((effects) => this.pruneStep(now, now - retentionMs, effects));
  }

  async health(): Promise<{ readonly writable: boolean; readonly reason?: string }> {
    try {
      await this.queue.write(() => this.tables.meta.touch(this.clock.now()));
      return { writable: true };
    } catch (error) {
      return { writable: false, reason: error instanceof Error ? error.message : "The store failed." };
    }
  }

  listen(listener: StoreListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.log.close();
    await this.read(() => {
      this.queue.close();
      this.parts.database.close();
      this.parts.releaseOwnership();
    });
  }

  /** Reads run at once, on what is committed: no transaction is ever open between two turns of the event loop. */
  private async read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw storageFailure(error);
    }
  }

  private committed(effects: readonly Effects[]): boolean {
    this.tables.jtis.written();
    for (const { ended } of effects) for (const { subscriptionId } of ended) this.tables.leases.dropSubscription(subscriptionId);
    applyEffects(effects, this.listeners);
    this.log.check();
    return effects.some(({ emitted }) => emitted.length > 0);
  }

  private pruneStep(now: Instant, until: Instant, effects: Effects): boolean {
    const { jtis, retention, subscriptions } = this.tables;
    const removed = [
      subscriptions.expire(now, effects, ROWS_PER_STEP),
      retention.pruneOccurrences(until),
      retention.pruneSubscriptions(until),
      retention.pruneCalls(now),
    ];
    const forgotten = jtis.forgettable(now);
    if (forgotten > 0) effects.afterCommit.push(jtis.forget(forgotten));
    return forgotten > 0 || removed.some((count) => count > 0);
  }
}
