import { statSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import type { AppRecord, Instant, KeyRecord, Store } from "../../engine/store.ts";
import { openDatabase } from "./file/open-database.ts";
import { openingFailure } from "./file/storage-failure.ts";
import { Apps } from "./tables/apps.ts";

/** The part of a store that commands use beside a running core. */
export type AppStore = Pick<Store, "createApp" | "listApps" | "findApp" | "addKey" | "listKeys" | "findKey" | "revokeKey" | "close">;

/** A command waits this long for a core's commit. */
const BUSY_MS = 10_000;

/**
 * Opens a database file for apps and keys only, beside a core that may be running on it. What is written is in force
 * there at once. Calls block this process while they wait: it is for short commands.
 *
 * Makes no database: in the wrong place it would look like success, and no core would know what was written.
 *
 * @throws WakeshiftError `bad_request` if there is no such file, if it isn't ours, or if it can't be written to; `storage_full`
 */
export function openSqliteApps(path: string): AppStore {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw noDatabase(path);
  const database = guarded(path, () => openDatabase(path, BUSY_MS));
  const apps = new Apps(database);
  const run = async <T>(work: () => T): Promise<T> => guarded(path, work);
  return {
    createApp: (app: AppRecord) => run(() => apps.create(app)),
    listApps: () => run(() => apps.list()),
    findApp: (idOrName: string) => run(() => apps.find(idOrName)),
    addKey: (key: KeyRecord) => run(() => apps.addKey(key)),
    listKeys: (appId: string) => run(() => apps.listKeys(appId)),
    findKey: (keyId: string) => run(() => apps.findKey(keyId)),
    revokeKey: (keyId: string, at: Instant) => run(() => apps.revokeKey(keyId, at)),
    close: () => run(() => void database.close()),
  };
}

function noDatabase(path: string): WakeshiftError {
  return new WakeshiftError(
    "bad_request",
    `There is no database at ${path}, and only a core makes one. Name that of a core with --data or WAKESHIFT_DATABASE_URL, as it prints at its start, or start a core there first.`,
  );
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw openingFailure(error, path);
  }
}
