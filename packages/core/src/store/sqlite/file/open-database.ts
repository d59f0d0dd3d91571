import type Database from "better-sqlite3";
import { assertOurs, migrate } from "./migrate.ts";
import { makePrivate, openPrivateFile } from "./open-private-file.ts";

/** Above this the write-ahead log's file is cut back once its content is in the database. */
const LOG_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Opens one connection, creates the file and its folder, for this user alone, if need be, and brings the schema up to date.
 * @throws WakeshiftError `bad_request` when the file is another program's, or was made by a newer Wakeshift.
 * @param busyMs How long a statement of this connection may wait, blocking, for another process's lock.
 */
export function openDatabase(path: string, busyMs: number): Database.Database {
  // Opening may have to wait for another process that is creating the same file.
  const database = openPrivateFile(path, 10_000);
  try {
    assertOurs(database, path);
    makePrivate(path);
    database.pragma("journal_mode = WAL");
    // Set on every open: this build runs WAL databases at NORMAL, although the setting reads back as FULL.
    database.pragma("synchronous = FULL");
    database.pragma(`journal_size_limit = ${LOG_KEPT_BYTES}`);
    database.pragma("cache_size = -32768");
    database.pragma("temp_store = MEMORY");
    database.pragma("trusted_schema = OFF");
    migrate(database);
    database.pragma(`busy_timeout = ${busyMs}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
