import type Database from "better-sqlite3";
import type { Instant } from "../../../engine/store.ts";

/** What was handed to which subscription, and seen. */
export class Deliveries {
  private readonly insert: Database.Statement<[number, number, number, number | null]>;
  private readonly updateSeen: Database.Statement<[number, number, number]>;
  private readonly selectFirstMissing: Database.Statement<[number, Buffer, number], number>;
  private readonly selectLast: Database.Statement<[Buffer], number>;

  constructor(database: Database.Database) {
    this.insert = database.prepare(
      "INSERT INTO deliveries (seq, subscription, handed_at, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.updateSeen = database.prepare("UPDATE deliveries SET seen_at = ? WHERE seq = ? AND subscription = ? AND seen_at IS NULL");
    this.selectFirstMissing = database
      .prepare<[number, Buffer, number], number>(
        `SELECT e.seq FROM entries e LEFT JOIN deliveries d ON d.seq = e.seq AND d.subscription = ?
         WHERE e.route = ? AND e.seq > ? AND d.seq IS NULL ORDER BY e.seq LIMIT 1`,
      )
      .pluck();
    this.selectLast = database.prepare<[Buffer], number>("SELECT seq FROM entries WHERE route = ? ORDER BY seq DESC LIMIT 1").pluck();
  }

  /** false: it was handed before. */
  handed(seq: number, subscription: number, at: Instant, seenAt: Instant | undefined): boolean {
    return this.insert.run(seq, subscription, at, seenAt ?? null).changes > 0;
  }

  /** false: it was seen before. */
  seen(seq: number, subscription: number, at: Instant): boolean {
    return this.updateSeen.run(at, seq, subscription).changes > 0;
  }

  /** The seq up to which all on the route after `cursor` is handed. */
  handedThrough(subscription: number, route: Buffer, cursor: number): number {
    const missing = this.selectFirstMissing.get(subscription, route, cursor);
    return missing === undefined ? Math.max(cursor, this.selectLast.get(route) ?? cursor) : missing - 1;
  }
}
