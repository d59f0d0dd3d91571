import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type Database from "better-sqlite3";

/** A write-ahead log larger than this has been held up by a reader, and is brought back to size. */
const BOUND_BYTES = 32 * 1024 * 1024;
/** Pages SQLite lets the log grow to before a commit moves them into the database. */
const AUTOMATIC_PAGES = 1_000;
/** Pages that may be moved on the event loop: some tens of milliseconds. */
const MOVED_HERE_PAGES = 4_000;
const CHECK_MS = 500;
/** Pause after a try that a reader still held up. */
const HELD_UP_MS = 5_000;

/** Runs in a thread with a connection of its own, given as text so that it needs no file beside the built code. */
const MOVE_PAGES = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.binding);
  const database = new Database(workerData.path, { timeout: 0 });
  database.pragma("synchronous = FULL");
  const [row] = database.pragma("wal_checkpoint(PASSIVE)");
  database.close();
  parentPort.postMessage(row);
`;

interface Moved {
  /** Pages in the log, and how many of them are in the database by now. */
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Keeps the write-ahead log small.
 *
 * In ordinary times commits do it, a few megabytes at a time. But while another process reads, nothing may leave the
 * log, and what gathers meanwhile would stop the event loop for seconds when moved at once. So a log beyond its bound
 * is moved by a thread, and only the rest here.
 */
export class LogKeeper {
  private readonly database: Database.Database;
  private readonly path: string;
  private readonly monotonic: () => number;
  private nextCheck = 0;
  private moving: Promise<void> | undefined;
  private worker: Worker | undefined;
  private movedBefore = -1;
  private closed = false;

  constructor(database: Database.Database, path: string, monotonic: () => number) {
    this.database = database;
    this.path = path;
    this.monotonic = monotonic;
  }

  /** Called after commits and by housekeeping; cheap when there is nothing to do. */
  check(): void {
    if (this.closed || this.moving !== undefined || this.monotonic() < this.nextCheck) return;
    this.nextCheck = this.monotonic() + CHECK_MS;
    if (this.size() <= BOUND_BYTES) return;
    // Else the next commit after the reader has left would move everything.
    this.database.pragma("wal_autocheckpoint = 0");
    this.moving = this.move().finally(() => (this.moving = undefined));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.worker?.terminate();
    await this.moving;
  }

  private size(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  private async move(): Promise<void> {
    const moved = await this.moveInThread();
    if (this.closed) return;
    // Where no thread can run, it is done here, slow as it is.
    const rest = moved === undefined ? 0 : moved.log - moved.checkpointed;
    if (rest <= MOVED_HERE_PAGES && this.cutBack()) {
      this.movedBefore = -1;
      this.database.pragma(`wal_autocheckpoint = ${AUTOMATIC_PAGES}`);
      return;
    }
    const advanced = moved !== undefined && moved.checkpointed > this.movedBefore;
    this.movedBefore = moved?.checkpointed ?? -1;
    this.nextCheck = this.monotonic() + (advanced ? 0 : HELD_UP_MS);
  }

  /** Moves the rest and cuts the file. false: a reader still needs the log. */
  private cutBack(): boolean {
    try {
      const [row] = this.database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
      return row?.busy === 0;
    } catch {
      // A disk that is full or fails refuses writes as well, and is reported there; here it is tried again.
      return false;
    }
  }

  /** `undefined`: it failed, for instance on a full disk. */
  private moveInThread(): Promise<Moved | undefined> {
    const binding = createRequire(import.meta.url).resolve("better-sqlite3");
    const worker = new Worker(MOVE_PAGES, { eval: true, workerData: { path: this.path, binding } });
    this.worker = worker;
    return new Promise((resolve) => {
      worker.once("message", (moved: Moved) => resolve(moved));
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  }
}
