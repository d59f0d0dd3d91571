import type Database from "better-sqlite3";
import type { Instant, StoreClock } from "../../store.ts";

/** Kept however old they are, so that a clock that was wrong and is set back doesn't make them usable again. */
const KEPT_AT_LEAST = 100_000;
/** Rows here are tiny and lie side by side: a step may take more of them than elsewhere. */
const FORGOTTEN_PER_STEP = 1_000;

interface Seen {
  readonly number: number;
  readonly expiresAt: Instant;
  /** Monotonic milliseconds before which it is not forgotten, whatever the wall clock says. */
  readonly keepUntil: number;
}

/** Used assertions: decided in memory, written with the next commit, read back at start. */
export class Jtis {
  private readonly clock: StoreClock;
  private readonly insert: Database.Statement<[number, string, number]>;
  private readonly removeThrough: Database.Statement<[number]>;
  /** In the order of use. */
  private readonly seen = new Map<string, Seen>();
  private unwritten: string[] = [];
  private next = 1;

  constructor(database: Database.Database, clock: StoreClock) {
    this.clock = clock;
    this.insert = database.prepare("INSERT INTO jtis (number, jti, expires_at) VALUES (?, ?, ?)");
    this.removeThrough = database.prepare("DELETE FROM jtis WHERE number <= ?");
    const select = database.prepare<[number, number], { number: number; jti: string; expires_at: number }>(
      "SELECT number, jti, expires_at FROM jtis WHERE expires_at > ? OR number > (SELECT max(number) - ? FROM jtis) ORDER BY number",
    );
    for (const row of select.iterate(clock.now(), KEPT_AT_LEAST)) {
      this.remember(row.jti, row.number, row.expires_at);
      this.next = row.number + 1;
    }
  }

  /** false: used before. */
  claim(jti: string, expiresAt: Instant): boolean {
    if (this.seen.has(jti)) return false;
    this.remember(jti, this.next++, expiresAt);
    this.unwritten.push(jti);
    return true;
  }

  /** Part of each transaction. What it wrote is written again if that transaction fails. */
  write(): void {
    for (const jti of this.unwritten) {
      const seen = this.seen.get(jti);
      if (seen !== undefined) this.insert.run(seen.number, jti, seen.expiresAt);
    }
  }

  /** The transaction that had {@link write} in it is on disk. Nothing can have been claimed in between. */
  written(): void {
    this.unwritten = [];
  }

  /** How many of the oldest may be forgotten now, at most one step. */
  forgettable(now: Instant): number {
    const surplus = this.seen.size - this.unwritten.length - KEPT_AT_LEAST;
    const monotonic = this.clock.monotonic();
    let count = 0;
    for (const { expiresAt, keepUntil } of this.seen.values()) {
      if (count >= Math.min(surplus, FORGOTTEN_PER_STEP) || expiresAt > now || keepUntil > monotonic) break;
      count += 1;
    }
    return count;
  }

  /** Removes so many of the oldest from the file; the answer, run after the commit, removes them from memory. */
  forget(count: number): () => void {
    const oldest = [...this.first(count)];
    const last = oldest.at(-1);
    if (last !== undefined) this.removeThrough.run(last[1].number);
    return () => {
      for (const [jti] of oldest) this.seen.delete(jti);
    };
  }

  private *first(count: number): Generator<[string, Seen]> {
    let index = 0;
    for (const entry of this.seen) {
      if (index++ >= count) return;
      yield entry;
    }
  }

  private remember(jti: string, number: number, expiresAt: Instant): void {
    const lifetime = Math.max(0, expiresAt - this.clock.now());
    this.seen.set(jti, { number, expiresAt, keepUntil: this.clock.monotonic() + lifetime });
  }
}
