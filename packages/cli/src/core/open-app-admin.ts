import type { AppAdmin } from "./app-admin.ts";
import { databasePath } from "./database-path.ts";
import { openLocalAppAdmin } from "./local-app-admin.ts";
import { openRemoteAppAdmin } from "./remote-app-admin.ts";

/** Which core `app` and `key` work on. */
export interface CoreChoice {
  readonly data?: string;
  readonly core?: string;
}

/** Runs `work` on the chosen core's apps: the one at `--core`, else the data directory on this machine. */
export async function withAppAdmin<T>(choice: CoreChoice, env: NodeJS.ProcessEnv, work: (admin: AppAdmin) => Promise<T>): Promise<T> {
  const admin =
    choice.core === undefined
      ? openLocalAppAdmin(databasePath(choice.data, env))
      : openRemoteAppAdmin(choice.core, env["WAKESHIFT_ADMIN_TOKEN"]);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** A core's apps, in the words of a sentence. */
export function describePlace(place: AppAdmin["place"]): string {
  return "core" in place ? `the core at ${place.core}` : place.database;
}
