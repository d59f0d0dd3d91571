import type { AppRecord, Instant, KeyRecord, Store } from "../store.ts";
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
 */
export function openSqliteApps(path: string): AppStore {
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

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw openingFailure(error, path);
  }
}
