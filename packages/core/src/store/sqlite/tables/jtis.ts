import type Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Instant, StoreClock } from "../../../engine/store.ts";

/** Kept however old they are, so that a clock that was wrong and is set back doesn't make them usable again. */
const KEPT_AT_LEAST = 100_000;
/** Rows here are tiny and lie side by side: a step may take more of them than elsewhere. */
const FORGOTTEN_PER_STEP = 1_000;
/** Of those that a failed transaction left behind, a later one writes so many beside its own. */
const CAUGHT_UP_PER_COMMIT = 100;
/** That many may be left behind; an assertion beyond is refused, since it could be used again after a restart. */
const LEFT_BEHIND_AT_MOST = 100_000;

interface Seen {
  readonly number: number;
  readonly expiresAt: Instant;
  /** Monotonic milliseconds before which it is not forgotten, whatever the wall clock says. */
  readonly keepUntil: number;
}

/**
 * Used assertions: decided in memory, written with the next commit, read back at start.
 *
 * What a commit didn't take is left behind and written with later ones, a few at a time: while a disk refuses every request, none
 * costs more than the one before it.
 */
export class Jtis {
  private readonly clock: StoreClock;
  private readonly insert: Database.Statement<[number, string, number]>;
  private readonly removeThrough: Database.Statement<[number]>;
  /** In the order of use. */
  private readonly seen = new Map<string, Seen>();
  private fresh: string[] = [];
  /** In the transaction under way, or in one that failed. */
  private attempted: string[] = [];
  private readonly leftBehind = new Set<string>();
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

  /** false: used before. @throws WakeshiftError `storage_full` where too many are left behind */
  claim(jti: string, expiresAt: Instant): boolean {
    if (this.seen.has(jti)) return false;
    if (this.unwritten >= LEFT_BEHIND_AT_MOST) this.dropExpired();
    if (this.unwritten >= LEFT_BEHIND_AT_MOST)
      throw new WakeshiftError(
        "storage_full",
        "The core's storage refuses all writes, and too many requests came meanwhile. Try again later.",
      );
    this.remember(jti, this.next++, expiresAt);
    this.fresh.push(jti);
    return true;
  }

  /** Part of each transaction. What it wrote is written again, with later ones, if that transaction fails. */
  write(): void {
    this.leaveBehind();
    this.attempted = this.fresh;
    this.fresh = [];
    let room = CAUGHT_UP_PER_COMMIT;
    for (const jti of this.leftBehind) {
      if (room-- === 0) break;
      this.attempted.push(jti);
    }
    for (const jti of this.attempted) {
      const seen = this.seen.get(jti);
      if (seen !== undefined) this.insert.run(seen.number, jti, seen.expiresAt);
    }
  }

  /** The transaction that had {@link write} in it is on disk. Nothing can have been claimed in between. true: more is left behind. */
  written(): boolean {
    for (const jti of this.attempted) this.leftBehind.delete(jti);
    this.attempted = [];
    return this.leftBehind.size > 0;
  }

  /** How many of the oldest may be forgotten now, at most one step. */
  forgettable(now: Instant): number {
    const surplus = this.seen.size - this.unwritten - KEPT_AT_LEAST;
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

  /** What a transaction attempted, and isn't on disk by the next one. */
  private leaveBehind(): void {
    for (const jti of this.attempted) this.leftBehind.add(jti);
    this.attempted = [];
  }

  private get unwritten(): number {
    return this.leftBehind.size + this.attempted.length + this.fresh.length;
  }

  /** The oldest of those not written, as far as they are expired: nobody can use them again. */
  private dropExpired(): void {
    this.leaveBehind();
    const isExpired = (jti: string): boolean => {
      const seen = this.seen.get(jti);
      return seen === undefined || (seen.expiresAt <= this.clock.now() && seen.keepUntil <= this.clock.monotonic());
    };
    for (const jti of this.leftBehind) {
      if (!isExpired(jti)) break;
      this.leftBehind.delete(jti);
      this.seen.delete(jti);
    }
    const firstGood = this.fresh.findIndex((jti) => !isExpired(jti));
    for (const jti of this.fresh.splice(0, firstGood === -1 ? this.fresh.length : firstGood)) this.seen.delete(jti);
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
