import { withAppAdmin, type CoreChoice } from "../core/open-app-admin.ts";
import type { Output } from "../output.ts";
import { table } from "../table.ts";

/** Makes an app and its first key, shown once. */
export async function createApp(name: string, choice: CoreChoice, output: Output): Promise<undefined> {
  const { app, key } = await withAppAdmin(choice, process.env, (admin) => admin.createApp(name));
  output.show(
    { app, key: { id: key.keyId, key: key.key } },
    [
      `App ${app.name} (${app.id}), key ${key.keyId}. The key is shown this once; put it into your server's environment:`,
      "",
      `  WAKESHIFT_KEY=${key.key}`,
    ].join("\n"),
  );
  return undefined;
}

/** Lists apps with the ids of their keys. */
export async function listApps(choice: CoreChoice, output: Output): Promise<undefined> {
  const apps = await withAppAdmin(choice, process.env, (admin) => admin.listApps());
  const rows = apps.flatMap((app) => [
    [app.name, app.id, ""],
    ...app.keys.map((key) => [`  key ${key.id}`, key.name, key.revoked === undefined ? `since ${key.created}` : `revoked ${key.revoked}`]),
  ]);
  output.show({ apps }, rows.length === 0 ? "No app yet. Make one: wakeshift app create NAME" : table(rows));
  return undefined;
}
