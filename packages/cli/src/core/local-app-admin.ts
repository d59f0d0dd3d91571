import { randomBytes } from "node:crypto";
import { WakeshiftError } from "@wakeshift/protocol";
import { createApp, createKey, openSqliteApps } from "@wakeshift/core";
import type { AppAdmin } from "./app-admin.ts";

/**
 * Apps and keys through the database file on this machine, also while a core runs on it.
 *
 * @param database an absolute path, or a `postgres://` URL
 * @throws WakeshiftError `unsupported` for a PostgreSQL URL; `bad_request` if there is no such file
 */
export function openLocalAppAdmin(database: string): AppAdmin {
  if (/^postgres(ql)?:/i.test(database)) {
    throw new WakeshiftError(
      "unsupported",
      "Apps on PostgreSQL can't be changed from here yet. Set WAKESHIFT_DATABASE_URL to the path of a SQLite file.",
    );
  }
  const store = openSqliteApps(database);
  const parts = { store, now: () => Date.now(), randomBytes: (length: number) => randomBytes(length) };
  return {
    place: { database },
    createApp: (name) => createApp(parts, name),
    createKey: (app, name) => createKey(parts, app, name),
    revokeKey: (keyId) => store.revokeKey(keyId, Date.now()),
    listApps: async () =>
      Promise.all(
        (await store.listApps()).map(async (app) => ({
          id: app.id,
          name: app.name,
          keys: (await store.listKeys(app.id)).map((key) => ({
            id: key.keyId,
            name: key.name,
            created: new Date(key.createdAt).toISOString(),
            revoked: key.revokedAt === undefined ? undefined : new Date(key.revokedAt).toISOString(),
          })),
        })),
      ),
    close: () => store.close(),
  };
}
