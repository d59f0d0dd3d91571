import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { assertWritable } from "./assert-writable.ts";

/**
 * Opens a SQLite file, which nobody but this user can read if it is made here, nor can the folders made on the way to it:
 * it holds what was emitted. SQLite itself would make it by the umask, readable by all; its `-wal` and `-shm` get the
 * file's own mode.
 *
 * @throws WakeshiftError `bad_request` where it can't be written to; `storage_full`
 */
export function openPrivateFile(path: string, timeout: number): Database.Database {
  assertWritable(path);
  try {
    // Never opens one that is there: closing any handle of a file drops all of this process's locks on it.
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // It is there. Or it can't be made, which SQLite is about to say in its own codes.
  }
  return new Database(path, { timeout, fileMustExist: true });
}

/** A database that was made by the umask, or copied there, is for this user only from now on, as what stands in it asks. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch {
      // It isn't there, or belongs to somebody else, who decides on it.
    }
  }
}
