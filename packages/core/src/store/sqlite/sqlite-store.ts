import type Database from "better-sqlite3";
import type {
  AccessChange,
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
  StoreHealth,
  StoreListener,
  SubscribeInput,
  SubscribeResult,
  SubscriptionRecord,
  TicketResolution,
} from "../../engine/store.ts";
import { BelievedTime } from "@wakeshift/protocol";
import type { EndedReason } from "@wakeshift/protocol";
import type { Ack } from "./delivering.ts";
import { acknowledge, claim } from "./delivering.ts";
import { CommitQueue } from "./file/commit-queue.ts";
import type { Effects } from "./file/effects.ts";
import { applyEffects } from "./file/effects.ts";
import { LogKeeper } from "./file/log-keeper.ts";
import { OpenFiles } from "./file/open-files.ts";
import { storageFailure } from "./file/storage-failure.ts";
import { addressedTo, forgetOccurrences, forgetSubscriptions } from "./forgetting.ts";
import { putEvents, statePublished } from "./publishing.ts";
import { mustSearch, rollbackCall, searchReplay, subscribe } from "./subscribing.ts";
import { openTables } from "./tables/open-tables.ts";
import type { Tables } from "./tables/open-tables.ts";
import { ENDED_PER_WRITE, isClosing, subscriptionRecord } from "./tables/subscriptions.ts";
import { ROWS_PER_STEP } from "./tables/retention.ts";
import { StorageHealth } from "./storage-health.ts";
import { endByTicket, resolveTicket } from "./ticketing.ts";

/** Pause before a claim that couldn't move its cursor looks at the same again. */
const SECOND_LOOK_MS = 1_000;

export interface SqliteStoreParts {
  readonly database: Database.Database;
  readonly path: string;
  readonly clock: StoreClock;
  readonly leaseMs: number;
  readonly after: (delayMs: number, work: () => void) => () => void;
  readonly occurrencesPerApp: number | undefined;
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
  private readonly storage: StorageHealth;
  private readonly listeners = new Set<StoreListener>();
  /** By which subscriptions end. Nothing is delivered that the wall clock calls expired, but a clock set wrong for a moment ends none. */
  private readonly time = new BelievedTime();
  private closed = false;

  constructor(parts: SqliteStoreParts) {
    this.parts = parts;
    this.clock = parts.clock;
    this.believed();
    this.tables = openTables(parts.database, parts.clock);
    this.log = new LogKeeper(parts.database, parts.path, () => parts.clock.monotonic());
    const files = new OpenFiles(parts.path);
    this.queue = new CommitQueue(parts.database, {
      monotonic: () => parts.clock.monotonic(),
      after: parts.after,
      prelude: (effects) => {
        this.tables.jtis.write();
        this.tables.subscriptions.expire(this.believed(), effects, ROWS_PER_STEP);
      },
      assertInPlace: () => files.assertInPlace(),
      refused: (failure) => this.storage.refused(failure),
      committed: (effects) => this.committed(effects),
    });
    this.storage = new StorageHealth({
      write: (work) => this.queue.write(work),
      touch: () => this.tables.meta.touch(parts.clock.now()),
      fill: () => this.tables.meta.fill(),
      empty: () => this.tables.meta.empty(),
      listeners: this.listeners,
    });
  }

  coreId(): Promise<string> {
    return this.read(() => this.tables.meta.coreId());
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

  async putEvents(events: readonly EventRecord[], now: Instant, sdk?: string): Promise<PutEventsResult> {
    const differing = await this.read(() => this.tables.events.changed(events));
    const changed =
      differing.length === 0 ? [] : await this.queue.write((effects) => putEvents(this.tables, events, { now, sdk }, effects));
    return this.read(() => ({ changed, ...statePublished(this.tables, events, now) }));
  }

  listAccessChanges(appId: string, limit: number): Promise<readonly AccessChange[]> {
    return this.read(() => this.tables.accessChanges.list(appId, limit));
  }

  listEvents(appId: string): Promise<readonly EventRecord[]> {
    return this.read(() => this.tables.events.list(appId));
  }

  findEvent(appId: string, name: string): Promise<EventRecord | undefined> {
    return this.read(() => this.tables.events.find(appId, name));
  }

  emit(input: EmitInput): Promise<EmitResult | undefined> {
    return this.queue.write((effects) =>
      this.tables.events.isAsDecided(input) ? this.tables.occurrences.emit(input, this.parts.occurrencesPerApp, effects) : undefined,
    );
  }

  subscribe(input: SubscribeInput): Promise<SubscribeResult> {
    // Only a search waits: all else keeps its place among the writes asked for in the same turn.
    if (!mustSearch(input)) return this.queue.write((effects) => subscribe(this.tables, input, undefined, this.believed(), effects));
    return this.searchAndSubscribe(input);
  }

  findConversation(appId: string, sessionHash: Hash): Promise<ConversationRecord | undefined> {
    return this.read(() => this.tables.conversations.find(appId, sessionHash));
  }

  listSubscriptions(filter: EndFilter, now: Instant): Promise<readonly SubscriptionRecord[]> {
    return this.read(() => {
      const rows = this.tables.subscriptions.list(filter, this.notBeyond(now));
      return rows.filter((row) => !isClosing(row)).map(subscriptionRecord);
    });
  }

  /** Each write ends a bounded number; what is subscribed while this runs stays. */
  async endSubscriptions(filter: EndFilter, reason: EndedReason, now: Instant): Promise<number> {
    const last = await this.read(() => this.tables.subscriptions.newestNumber());
    for (let total = 0; ;) {
      const ended = await this.queue.write((effects) =>
        this.tables.subscriptions.endSome(filter, reason, this.notBeyond(now), last, effects),
      );
      total += ended;
      if (ended < ENDED_PER_WRITE) return total;
    }
  }

  async forgetUser(appId: string, user: string, now: Instant): Promise<boolean> {
    const { occurrences, subscriptions } = this.tables;
    const there = { appId, user, subscription: subscriptions.newestNumber(), seq: occurrences.newestSeq() };
    let forgotten = (await this.endSubscriptions({ appId, user }, "ended", now)) > 0;
    for (let removed = 1; removed > 0; forgotten ||= removed > 0)
      removed = await this.queue.write((effects) => forgetSubscriptions(this.tables, there, now, effects));
    for (let seq: number | undefined = 0; seq !== undefined;) {
      const from: number = seq;
      const { found, last } = await this.read(() => addressedTo(this.tables, there, from));
      if (found.length > 0) forgotten = (await this.queue.write(() => forgetOccurrences(this.tables, there, found))) > 0 || forgotten;
      // A page without any of theirs is no write, and must not keep others waiting.
      else await new Promise((resolve) => setImmediate(resolve));
      seq = last;
    }
    return forgotten;
  }

  rollbackCall(appId: string, callId: string, now: Instant): Promise<number> {
    return this.queue.write((effects) => rollbackCall(this.tables, appId, callId, now, effects));
  }

  /** Only a ticket's first use is a write: a bridge that reconnects with hundreds of tickets costs reads. */
  async resolveTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]> {
    let firstUses = 0;
    const believed = this.notBeyond(now);
    const resolutions = await this.read(() =>
      ticketHashes.map((hash) => resolveTicket(this.tables, hash, holderHash, believed, () => (firstUses += 1))),
    );
    if (firstUses === 0) return resolutions;
    return this.queue.write((effects) => {
      const bind = (number: number, id: string): void => this.tables.tickets.bind(number, id, holderHash, effects);
      return ticketHashes.map((hash) => resolveTicket(this.tables, hash, holderHash, believed, bind));
    });
  }

  endByTickets(ticketHashes: readonly Hash[], holderHash: Hash, now: Instant): Promise<readonly TicketResolution[]> {
    return this.queue.write((effects) =>
      ticketHashes.map((hash) => endByTicket(this.tables, hash, holderHash, this.notBeyond(now), effects)),
    );
  }

  async claim(subscriptionId: string, taker: string, limit: number): Promise<ClaimResult> {
    const now = this.clock.now();
    const options = { taker, limit, now, believed: this.believed(), monotonic: this.clock.monotonic(), leaseMs: this.parts.leaseMs };
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
    const times = { now, believed: this.believed() };
    return this.queue.write((effects) => acks.map((ack) => acknowledge(this.tables, ack, holderHash, times, effects)));
  }

  async prune(now: Instant, retentionMs: number): Promise<boolean> {
    this.tables.leases.sweep(this.clock.monotonic());
    this.log.check();
    if (this.storage.isRefusing) await this.storage.check();
    return this.queue.write((effects) => this.pruneStep(now, now - retentionMs, effects));
  }

  health(): Promise<StoreHealth> {
    return this.storage.check();
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

  /** Else what an app ends while the clock is wrong would be left out, and be back afterwards. */
  private notBeyond(now: Instant): Instant {
    return Math.min(now, this.believed());
  }

  private believed(): Instant {
    return this.time.at(this.clock.now(), this.clock.monotonic());
  }

  /** Reads run at once, on what is committed: no transaction is ever open between two turns of the event loop. */
  private async read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw storageFailure(error);
    }
  }

  private async searchAndSubscribe(input: SubscribeInput): Promise<SubscribeResult> {
    const search = searchReplay(this.tables, input);
    for (;;) {
      const { done, value: replay } = await this.read(() => search.next());
      if (done === true) return this.queue.write((effects) => subscribe(this.tables, input, replay, this.believed(), effects));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private committed(effects: readonly Effects[]): boolean {
    if (this.tables.jtis.written()) this.queue.schedule();
    for (const { ended } of effects) for (const { subscriptionId } of ended) this.tables.leases.dropSubscription(subscriptionId);
    applyEffects(effects, this.listeners);
    this.log.check();
    return effects.some(({ emitted }) => emitted.length > 0);
  }

  private pruneStep(now: Instant, until: Instant, effects: Effects): boolean {
    const { jtis, retention, subscriptions } = this.tables;
    const removed = [
      subscriptions.endClosed(now, effects, ENDED_PER_WRITE),
      subscriptions.expire(now, effects, ROWS_PER_STEP),
      subscriptions.endUnclaimed(now, effects, ROWS_PER_STEP),
      retention.pruneOccurrences(until),
      retention.pruneSubscriptions(until),
      retention.pruneCalls(now),
    ];
    const forgotten = jtis.forgettable(now);
    if (forgotten > 0) effects.afterCommit.push(jtis.forget(forgotten));
    return forgotten > 0 || removed.some((count) => count > 0);
  }
}
