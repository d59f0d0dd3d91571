import type Database from "better-sqlite3";
import type { Instant } from "../../store.ts";

/** Single values. */
export class Meta {
  private readonly update: Database.Statement<[number]>;
  private readonly identity: Database.Statement<[], string>;

  constructor(database: Database.Database) {
    this.update = database.prepare(
      "INSERT INTO meta (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    this.identity = database.prepare<[], string>("SELECT id FROM identity").pluck();
  }

  /** The id that was made with the database. */
  coreId(): string {
    return String(this.identity.get());
  }

  /** A smallest write, to learn whether one succeeds. */
  touch(now: Instant): void {
    this.update.run(now);
  }
}
