import type Database from "better-sqlite3";

/** Where a subscription was for a time: occurrences up to `until`, after those of the stretch before, came by `route`. */
export interface Stretch {
  readonly until: number;
  readonly route: Buffer;
}

/** The routes that reached subscriptions before their events became personal, or shared. */
export class Moves {
  private readonly insert: Database.Statement<[number, number, Buffer]>;
  private readonly selectOf: Database.Statement<[number, number], Stretch>;

  constructor(database: Database.Database) {
    this.insert = database.prepare("INSERT INTO moves (subscription, until, route) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.selectOf = database.prepare("SELECT until, route FROM moves WHERE subscription = ? AND until > ? ORDER BY until");
  }

  add(subscription: number, { until, route }: Stretch): void {
    this.insert.run(subscription, until, route);
  }

  /** The stretches that reach beyond `seq`, in order. */
  after(subscription: number, seq: number): readonly Stretch[] {
    return this.selectOf.all(subscription, seq);
  }
}
