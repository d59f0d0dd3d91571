import type Database from "better-sqlite3";

/** Where a subscription was for a time: occurrences up to `until`, after those of the stretch before, came by `route`. */
export interface Stretch {
  readonly until: number;
  /** Empty: none came. */
  readonly route: Buffer;
}

const NO_ROUTE = Buffer.alloc(0);

/** The routes that reached subscriptions before their events became personal, or shared. */
export class Moves {
  private readonly insert: Database.Statement<[number, number, Buffer]>;
  private readonly remove: Database.Statement<[number, number]>;
  private readonly removeOld: Database.Statement<[number]>;
  private readonly selectOf: Database.Statement<[number, number], Stretch>;
  private readonly selectLast: Database.Statement<[number], Stretch>;
  private readonly selectEntry: Database.Statement<[Buffer, number, number], number>;

  constructor(database: Database.Database) {
    this.insert = database.prepare("INSERT INTO moves (subscription, until, route) VALUES (?, ?, ?)");
    this.remove = database.prepare("DELETE FROM moves WHERE subscription = ? AND until = ?");
    this.removeOld = database.prepare(
      "DELETE FROM moves WHERE subscription = ? AND until < (SELECT coalesce(min(seq), 0) FROM occurrences)",
    );
    this.selectOf = database.prepare("SELECT until, route FROM moves WHERE subscription = ? AND until > ? ORDER BY until");
    this.selectLast = database.prepare("SELECT until, route FROM moves WHERE subscription = ? ORDER BY until DESC LIMIT 1");
    this.selectEntry = database
      .prepare<[Buffer, number, number], number>("SELECT 1 FROM entries WHERE route = ? AND seq > ? AND seq <= ? LIMIT 1")
      .pluck();
  }

  /**
   * Adds the newest stretch of a subscription that began after `start`. However often it moves, there are no more stretches than
   * occurrences that are kept, and one more between two of them: what is older than all of them is forgotten, and stretches
   * by which nothing came are one. One of those must be there, so that its neighbour doesn't reach over it.
   */
  add({ number, start }: { readonly number: number; readonly start: number }, { until, route }: Stretch): void {
    const last = this.selectLast.get(number);
    if (last !== undefined) this.removeOld.run(number);
    const after = Math.max(start, last?.until ?? 0);
    if (until <= after) return;
    const came = this.selectEntry.get(route, after, until) !== undefined;
    if (!came && last?.route.length === 0) this.remove.run(number, last.until);
    this.insert.run(number, until, came ? route : NO_ROUTE);
  }

  /** The stretches that reach beyond `seq`, in order. */
  after(subscription: number, seq: number): readonly Stretch[] {
    return this.selectOf.all(subscription, seq);
  }
}
