import type Database from "better-sqlite3";
import type { Instant } from "../../../engine/store.ts";
import type { Routes } from "./routes.ts";
import type { SubscriptionRow } from "./subscriptions.ts";

/** Rows removed in one step, so that no step holds the event loop for more than a few milliseconds. */
export const ROWS_PER_STEP = 100;
/** A call that ended its tool call a day ago is not rolled back any more. */
const CALLS_KEPT_MS = 86_400_000;

/** Names in `meta` of the newest that was removed. */
const OCCURRENCES = "pruned_to";
const SUBSCRIPTIONS = "subscriptions_removed_to";

interface EndedRow {
  number: number;
  id: string;
  conversation: string;
}

/** The routes of an occurrence, 32 bytes each. */
export function routesIn(routes: Buffer): readonly Buffer[] {
  return Array.from({ length: routes.length / 32 }, (_, n) => routes.subarray(32 * n, 32 * n + 32));
}

/** Removes what is older than it need be, or is to be forgotten. */
export class Retention {
  private readonly database: Database.Database;
  private readonly routes: Routes;
  private readonly selectOldest: Database.Statement<[number], { seq: number; emitted_at: number; routes: Buffer }>;
  private readonly removeOccurrence: Database.Statement<[number]>;
  private readonly removeEntry: Database.Statement<[Buffer, number]>;
  private readonly removeDeliveries: Database.Statement<[number]>;
  private readonly rememberRemoved: Database.Statement<[string, number]>;
  private readonly updateRoutes: Database.Statement<[Buffer, number]>;
  private readonly selectEnded: Database.Statement<[number, number], EndedRow>;
  private readonly selectOfUser: Database.Statement<[number, string, number, number], SubscriptionRow>;
  private readonly bySubscription: readonly Database.Statement[];
  private readonly removeCapabilities: Database.Statement<[string]>;
  private readonly removeConversation: Database.Statement;
  private readonly byTime: readonly Database.Statement<[number, number]>[];

  constructor(database: Database.Database, routes: Routes) {
    this.database = database;
    this.routes = routes;
    this.selectOldest = database.prepare("SELECT seq, emitted_at, routes FROM occurrences ORDER BY seq LIMIT ?");
    this.removeOccurrence = database.prepare("DELETE FROM occurrences WHERE seq = ?");
    this.removeEntry = database.prepare("DELETE FROM entries WHERE route = ? AND seq = ?");
    this.removeDeliveries = database.prepare("DELETE FROM deliveries WHERE seq = ?");
    this.rememberRemoved = database.prepare(
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    );
    this.selectEnded = database.prepare("SELECT number, id, conversation FROM subscriptions WHERE ended_at <= ? ORDER BY ended_at LIMIT ?");
    this.selectOfUser = database.prepare(
      "SELECT s.*, apps.id AS app_id FROM subscriptions s JOIN apps ON apps.number = s.app WHERE s.app = ? AND s.user = ? AND (s.ended_at IS NOT NULL OR s.number <= ?) LIMIT ?",
    );
    this.updateRoutes = database.prepare("UPDATE occurrences SET routes = ? WHERE seq = ?");
    this.bySubscription = [
      database.prepare("DELETE FROM calls WHERE subscription = ?"),
      database.prepare("DELETE FROM subscriptions WHERE number = ?"),
    ];
    this.removeCapabilities = database.prepare("DELETE FROM capabilities WHERE target = ?");
    this.removeConversation = database.prepare(
      "DELETE FROM conversations WHERE id = :id AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE conversation = :id)",
    );
    this.byTime = [
      database.prepare(
        "DELETE FROM calls WHERE (app, call_id, subscription) IN (SELECT app, call_id, subscription FROM calls WHERE at <= ? ORDER BY at LIMIT ?)",
      ),
      database.prepare(
        "DELETE FROM closed_calls WHERE (app, call_id) IN (SELECT app, call_id FROM closed_calls WHERE at <= ? ORDER BY at LIMIT ?)",
      ),
    ];
  }

  /** The newest seq of the occurrences that were removed: none is given twice, since cursors go by it. */
  newestOccurrence(): number {
    return this.newestRemoved(OCCURRENCES);
  }

  /** The newest number of the subscriptions that were removed. */
  newestSubscription(): number {
    return this.newestRemoved(SUBSCRIPTIONS);
  }

  private newestRemoved(what: string): number {
    return Number(this.database.prepare("SELECT value FROM meta WHERE name = ?").pluck().get(what) ?? 0);
  }

  /** Removes occurrences emitted before `until`, with their entries and deliveries; answers how many. */
  pruneOccurrences(until: Instant): number {
    const oldest = this.selectOldest.all(ROWS_PER_STEP);
    // One emitted while the clock was ahead is as old as the next one that says so.
    const old = oldest.slice(0, oldest.findLastIndex((row) => row.emitted_at <= until) + 1);
    let rows = 0;
    let removed = 0;
    let last = 0;
    for (const { seq, routes } of old) {
      // An emit to a thousand users is a thousand entries: the step counts those.
      rows += 1 + routes.length / 32;
      if (removed > 0 && rows > 2 * ROWS_PER_STEP) break;
      for (const route of routesIn(routes)) this.removeRoute(route, seq);
      this.removeDeliveries.run(seq);
      this.removeOccurrence.run(seq);
      last = seq;
      removed += 1;
    }
    if (removed > 0) this.rememberRemoved.run(OCCURRENCES, last);
    return removed;
  }

  /** Removes subscriptions that ended before `until` and what hangs on them; answers how many. */
  pruneSubscriptions(until: Instant): number {
    const rows = this.selectEnded.all(until, ROWS_PER_STEP);
    for (const row of rows) this.removeSubscription(row);
    return rows.length;
  }

  /**
   * Removes subscriptions of one user, those that have ended and those numbered up to `last`, and what hangs on them; answers how
   * many. `end` is called for one that hasn't ended.
   */
  removeSubscriptionsOf(app: number, user: string, last: number, end: (row: SubscriptionRow) => void): number {
    const rows = this.selectOfUser.all(app, user, last, ROWS_PER_STEP);
    for (const row of rows) {
      if (row.ended_at === null) end(row);
      this.removeSubscription(row);
    }
    return rows.length;
  }

  /** Takes an occurrence, with the routes it has now, out of one of them, and away altogether where that was its only one. */
  removeFromRoute(seq: number, routes: Buffer, route: Buffer): void {
    const others = routesIn(routes).filter((other) => !other.equals(route));
    this.removeEntry.run(route, seq);
    if (others.length > 0) {
      this.updateRoutes.run(Buffer.concat(others), seq);
      return;
    }
    this.removeDeliveries.run(seq);
    this.removeOccurrence.run(seq);
    this.rememberRemoved.run(OCCURRENCES, seq);
  }

  /** Removes old records of calls; answers how many. */
  pruneCalls(now: Instant): number {
    return Math.max(...this.byTime.map((statement) => statement.run(now - CALLS_KEPT_MS, ROWS_PER_STEP).changes));
  }

  private removeSubscription(row: EndedRow): void {
    this.rememberRemoved.run(SUBSCRIPTIONS, row.number);
    for (const statement of this.bySubscription) statement.run(row.number);
    this.removeCapabilities.run(row.id);
    if (this.removeConversation.run({ id: row.conversation }).changes > 0) this.removeCapabilities.run(row.conversation);
  }

  private removeRoute(route: Buffer, seq: number): void {
    this.removeEntry.run(route, seq);
    this.routes.pruned(route, seq);
  }
}
