import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { storageFailure } from "./storage-failure.ts";

const failure = (code: string): ReturnType<typeof storageFailure> => storageFailure(new Database.SqliteError("refused", code));

test.each(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE"])("%s says that the disk is full", (code) => {
  expect(failure(code)).toMatchObject({ code: "storage_full", message: expect.stringContaining("make room") as string });
});

test.each(["SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_READ", "SQLITE_IOERR_CORRUPTFS", "SQLITE_CANTOPEN"])(
  "%s says that the files can't be used, and nothing of a full disk",
  (code) => {
    const { code: given, status, message } = failure(code);
    expect([given, status]).toEqual(["storage_gone", 503]);
    expect(message).toContain(code);
    expect(message).not.toMatch(/full|room|took no more/);
  },
);
