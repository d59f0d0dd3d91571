import Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";

/** SQLite's own code of an error it threw, such as `SQLITE_FULL`; "" for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : "";
}

/** Another process holds the lock this needs: nothing was done, and the same may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

/** The disk refused. SQLite may have undone the whole transaction by then, so nothing of it may be kept. */
export function isDiskRefusal(error: unknown): boolean {
  const code = sqliteCode(error);
  return (
    code === "SQLITE_FULL" || code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")
  );
}

/** The file or its disk is the matter: until that is mended, each write would fail. */
export function isStorageRefusal(failure: WakeshiftError): boolean {
  return failure.code === "storage_full" || failure.code === "storage_gone";
}

/** What a full disk gives beside `SQLITE_FULL`, by which of SQLite's own steps met it. */
const FULL: ReadonlySet<string> = new Set(
  ["WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "SHMSIZE", "SHMMAP", "SHMOPEN"].map((step) => `SQLITE_IOERR_${step}`),
);

/** What a caller of the store is told of an error: our own errors as they are, SQLite's by kind. */
export function storageFailure(error: unknown): WakeshiftError {
  if (WakeshiftError.isInstance(error)) return error;
  if (isDiskRefusal(error)) {
    const detail = sqliteCode(error);
    if (detail.startsWith("SQLITE_CANTOPEN") || (detail.startsWith("SQLITE_IOERR") && !FULL.has(detail))) {
      return new WakeshiftError(
        "storage_gone",
        `The database's files can't be used (${detail}): their disk fails, or they were changed while the core ran. Nothing was stored. Check the disk and the data folder; if they are in order, restart the core.`,
        { cause: error },
      );
    }
    return new WakeshiftError(
      "storage_full",
      `The disk took no more data (${detail}). Nothing was stored; make room, and it goes on by itself.`,
      { cause: error },
    );
  }
  if (isBusy(error)) {
    return new WakeshiftError(
      "internal",
      "Another process kept the database locked for too long. Nothing was stored; end that process, or try again.",
      { cause: error },
    );
  }
  return new WakeshiftError("internal", "The store failed. Nothing was stored; the cause is in the core's log.", { cause: error });
}

/** What whoever opens a file, or works on it from a command, is told of an error: there is no log yet that would have the cause. */
export function openingFailure(error: unknown, path: string): WakeshiftError {
  const code = sqliteCode(error);
  if (WakeshiftError.isInstance(error) || code === "SQLITE_FULL" || isBusy(error)) return storageFailure(error);
  if (code === "SQLITE_NOTADB") {
    const sentence = `${path} is not a SQLite database, or its beginning is damaged. Name another file, or put a backup in its place.`;
    return new WakeshiftError("bad_request", sentence, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (/bindings file|NODE_MODULE_VERSION/.test(message)) {
    const sentence = `SQLite's binding for this Node.js (${process.version}) is missing. Run \`npm rebuild better-sqlite3\` where Wakeshift is installed.`;
    return new WakeshiftError("internal", sentence, { cause: error });
  }
  const reason = `${message}${code === "" ? "" : `, ${code}`}`;
  if (code.startsWith("SQLITE_CORRUPT")) {
    const sentence = `${path} is damaged (${reason}). Put a backup in its place, or recover what is readable with sqlite3's \`.recover\`.`;
    return new WakeshiftError("bad_request", sentence, { cause: error });
  }
  const sentence = `${path} can't be used (${reason}). Check the file, its folder and the disk, then try again.`;
  return new WakeshiftError("internal", sentence, { cause: error });
}
