import type Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import { Effects } from "./effects.ts";
import { isBusy, isDiskRefusal, isStorageRefusal, storageFailure } from "./storage-failure.ts";

/** Writes of one transaction at most, so that a commit doesn't hold the event loop for long. */
const WRITES_PER_COMMIT = 512;
/** Pause before another process's lock is tried again. Meanwhile the event loop is free. */
const RETRY_MS = 10;
/** A lock held longer than this fails the waiting writes. */
const GIVE_UP_MS = 60_000;

interface Write {
  readonly work: (effects: Effects) => unknown;
  readonly effects: Effects;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: WakeshiftError) => void;
  result: unknown;
}

export interface CommitQueueOptions {
  /** Milliseconds of the monotonic clock. */
  readonly monotonic: () => number;
  /** Runs `work` after so many milliseconds; the answer cancels it. */
  readonly after: (delayMs: number, work: () => void) => () => void;
  /** Runs first in each transaction. Must not throw but for the database's own failures. */
  readonly prelude: (effects: Effects) => void;
  /** Looked at before each transaction and after its commit. Throws where what is written would be lost. */
  readonly assertInPlace: () => void;
  /** The storage refused a transaction. */
  readonly refused: (failure: WakeshiftError) => void;
  /** The transaction is on disk; told before the writes' promises resolve. true: somebody is being woken by it. */
  readonly committed: (effects: readonly Effects[]) => boolean;
}

/**
 * Group commit: what is written in one turn of the event loop shares one transaction and one sync of the disk.
 *
 * A write that throws is undone by itself and rejects alone; the others go on. A promise resolves only after COMMIT;
 * when the disk refuses, or the file is gone, the whole transaction rejects, and the next one starts afresh. While another
 * process holds the write lock, writes wait in order and none fails.
 */
export class CommitQueue {
  private readonly database: Database.Database;
  private readonly options: CommitQueueOptions;
  private readonly statements: Record<"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo", Database.Statement>;
  private readonly waiting: Write[] = [];
  private scheduled = false;
  private busySince: number | undefined;
  private cancelRetry: (() => void) | undefined;
  private closed = false;

  constructor(database: Database.Database, options: CommitQueueOptions) {
    this.database = database;
    this.options = options;
    this.statements = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      savepoint: database.prepare("SAVEPOINT one"),
      release: database.prepare("RELEASE one"),
      undo: database.prepare("ROLLBACK TO one"),
    };
  }

  /** Runs `work` in this turn's transaction. It must be synchronous, and throws to be undone. */
  write<T>(work: (effects: Effects) => T): Promise<T> {
    if (this.closed) return Promise.reject(new WakeshiftError("internal", "The store is closed."));
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, effects: new Effects(), resolve: resolve as (result: unknown) => void, reject, result: undefined });
      this.schedule();
    });
  }

  /** Makes a transaction happen in this turn, for what the prelude has to write. */
  schedule(): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    setImmediate(() => this.commit());
  }

  /** Commits what waits, then refuses all further writes. */
  close(): void {
    if (this.closed) return;
    this.cancelRetry?.();
    do this.commit();
    while (this.waiting.length > 0 && this.busySince === undefined);
    this.closed = true;
    this.cancelRetry?.();
    this.rejectAll(this.waiting.splice(0), new WakeshiftError("internal", "The store was closed while another process held the database."));
  }

  private commit(): void {
    this.scheduled = false;
    if (this.closed || !this.begin()) return;
    const batch = this.waiting.splice(0, WRITES_PER_COMMIT);
    const prelude = new Effects();
    const done: Write[] = [];
    try {
      this.options.prelude(prelude);
      for (const write of batch) if (this.runOne(write)) done.push(write);
      this.statements.commit.run();
    } catch (error) {
      this.undo();
      this.rejectAll(batch, error);
      if (this.waiting.length > 0) this.schedule();
      return;
    }
    if (this.waiting.length > 0) this.schedule();
    const waking = this.options.committed([prelude, ...done.map((write) => write.effects)]);
    if (!this.isInPlace(done)) return;
    const resolve = (): void => {
      for (const write of done) write.resolve(write.result);
    };
    // Who waits for a wake goes before who hears that it was stored.
    if (waking) setImmediate(resolve);
    else resolve();
  }

  /** false: the file went away during the commit, so that nothing of it may be called stored; the writes are rejected. */
  private isInPlace(done: readonly Write[]): boolean {
    try {
      this.options.assertInPlace();
      return true;
    } catch (error) {
      this.rejectAll(done, error);
      return false;
    }
  }

  /** Whether the transaction is begun; if not, it is tried again by a timer. */
  private begin(): boolean {
    try {
      this.undo();
      this.options.assertInPlace();
      this.statements.begin.run();
      this.busySince = undefined;
      return true;
    } catch (error) {
      const now = this.options.monotonic();
      this.busySince ??= now;
      if (!isBusy(error) || now - this.busySince > GIVE_UP_MS) {
        this.busySince = undefined;
        this.rejectAll(this.waiting.splice(0), error);
      } else {
        this.scheduled = true;
        this.cancelRetry = this.options.after(RETRY_MS, () => this.commit());
      }
      return false;
    }
  }

  /** false: it threw, was undone and rejected. Throws what must undo the whole transaction. */
  private runOne(write: Write): boolean {
    this.statements.savepoint.run();
    try {
      write.result = write.work(write.effects);
      this.statements.release.run();
      return true;
    } catch (error) {
      // A full disk makes SQLite undo everything by itself: nothing before this write is there any more.
      if (isDiskRefusal(error) || !this.database.inTransaction) throw error;
      this.statements.undo.run();
      this.statements.release.run();
      write.reject(storageFailure(error));
      return false;
    }
  }

  /** A disk that refuses the commit may refuse this too: then it is tried again before the next transaction. */
  private undo(): void {
    try {
      if (this.database.inTransaction) this.statements.rollback.run();
    } catch {
      // What made it necessary is told.
    }
  }

  private rejectAll(writes: readonly Write[], error: unknown): void {
    const failure = storageFailure(error);
    if (isStorageRefusal(failure)) this.options.refused(failure);
    for (const write of writes) write.reject(failure);
  }
}
