import type Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import { MIGRATIONS } from "../migrations/migrations.ts";

/** Marks a SQLite file as ours ("WSK1"), so that no other program's database is written into. */
const APPLICATION_ID = 0x57534b31;

/**
 * Refuses a file that isn't for this program, before anything of it is changed.
 * @throws WakeshiftError `bad_request` when the file is another program's, or was made by a newer Wakeshift.
 */
export function assertOurs(database: Database.Database, path: string): void {
  const tables = Number(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (tables > 0 && database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new WakeshiftError("bad_request", `${path} is a database of another program. Name another file.`);
  }
  const version = schemaVersion(database);
  if (version > MIGRATIONS.length) {
    throw new WakeshiftError(
      "bad_request",
      `${path} was written by a newer Wakeshift (schema ${version}, this one knows ${MIGRATIONS.length}). Update Wakeshift to use it.`,
    );
  }
}

/** Brings the file to the newest schema, in one transaction. */
export function migrate(database: Database.Database): void {
  if (schemaVersion(database) === MIGRATIONS.length) return;
  const apply = database.transaction(() => {
    // Another process may have been here first.
    for (const migration of MIGRATIONS.slice(schemaVersion(database))) database.exec(migration.sql);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  apply.immediate();
}

function schemaVersion(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}
