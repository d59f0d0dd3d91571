import type Database from "better-sqlite3";
import { LIMITS } from "@wakeshift/protocol";
import type { Instant } from "../../../engine/store.ts";

/** What an emit may need: its payload, text and arguments. */
const EMIT_BYTES = LIMITS.payloadBytes + LIMITS.textBytes + LIMITS.argumentsBytes;

/** Single values. */
export class Meta {
  private readonly update: Database.Statement<[number]>;
  private readonly identity: Database.Statement<[], string>;
  private readonly insertRoom: Database.Statement<[string]>;
  private readonly removeRoom: Database.Statement;

  constructor(database: Database.Database) {
    this.update = database.prepare(
      "INSERT INTO meta (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    this.identity = database.prepare<[], string>("SELECT id FROM identity").pluck();
    this.insertRoom = database.prepare("INSERT INTO meta (name, value) VALUES ('room:' || ?, 0)");
    this.removeRoom = database.prepare("DELETE FROM meta WHERE name >= 'room:' AND name < 'room;'");
  }

  /** The id that was made with the database. */
  coreId(): string {
    return String(this.identity.get());
  }

  /** A smallest write, to learn whether one succeeds. */
  touch(now: Instant): void {
    this.update.run(now);
  }

  /** A write as large as an emit may be, to learn whether there is room for one. */
  fill(): void {
    this.removeRoom.run();
    this.insertRoom.run("x".repeat(EMIT_BYTES));
  }

  /** Takes away what {@link fill} wrote. */
  empty(): void {
    this.removeRoom.run();
  }
}
