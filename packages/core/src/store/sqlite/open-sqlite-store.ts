import { LIMITS } from "@wakeshift/protocol";
import type { Store, StoreClock } from "../../engine/store.ts";
import { openDatabase } from "./file/open-database.ts";
import { lockAsOwner } from "./file/owner-lock.ts";
import { openingFailure } from "./file/storage-failure.ts";
import { SqliteStore } from "./sqlite-store.ts";

export interface SqliteStoreOptions {
  /** The database file; it and its folder are made if missing. Beside it lie `-wal`, `-shm` and `.owner`. */
  readonly path: string;
  readonly clock: StoreClock;
  /**
   * How long a taker keeps a wake before it is offered again, in milliseconds.
   * @defaultValue 30,000
   */
  readonly leaseMs?: number;
  /**
   * Runs work after so many milliseconds of the monotonic clock; the answer cancels it.
   * @defaultValue Node's timer
   */
  readonly after?: (delayMs: number, work: () => void) => () => void;
  /**
   * How many occurrences of one app are kept; further emits are refused until retention made room.
   * @defaultValue any number
   */
  readonly occurrencesPerApp?: number | undefined;
}

/** A statement of the core never blocks the event loop for longer than this on another process's lock. */
const BUSY_MS = 5;

/**
 * Opens the embedded store and makes this process its only owner.
 * @throws WakeshiftError `already_running` when another core has the file; `bad_request` when the file is not ours, or can't
 * be written to; `storage_full` when the disk refuses.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const { path, clock, leaseMs = LIMITS.leaseMs, after = nodeTimer, occurrencesPerApp } = options;
  try {
    const releaseOwnership = lockAsOwner(path);
    try {
      return new SqliteStore({
        database: openDatabase(path, BUSY_MS),
        path,
        clock,
        leaseMs,
        after,
        occurrencesPerApp,
        releaseOwnership,
      });
    } catch (error) {
      releaseOwnership();
      throw error;
    }
  } catch (error) {
    throw openingFailure(error, path);
  }
}

function nodeTimer(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}
