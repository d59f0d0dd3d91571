import type Database from "better-sqlite3";
import type { Instant } from "../../store.ts";

/** Single values. */
export class Meta {
  private readonly update: Database.Statement<[number]>;

  constructor(database: Database.Database) {
    this.update = database.prepare(
      "INSERT INTO meta (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
  }

  /** A smallest write, to learn whether one succeeds. */
  touch(now: Instant): void {
    this.update.run(now);
  }
}
