import { ownCommand } from "@wakeshift/programs/machine";
import { describePlace, withAppAdmin, type CoreChoice } from "../core/open-app-admin.ts";
import type { Output } from "../output.ts";
import { table } from "../table.ts";
import { coreOption, dataOption, examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `app`. */
export const addCommand: AddCommand = (program, act) => {
  const app = program.command("app").description("make and list the apps of a core");
  app
    .command("create")
    .description("make an app and its first key, which is shown this once")
    .argument("<name>", "the app's name, as agents will read it")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Examples:
  wakeshift app create Crawler
  WAKESHIFT_ADMIN_TOKEN=… wakeshift app create Crawler --core https://wake.example.com`),
    )
    .action((name: string, options: { data?: string; core?: string; json?: boolean }) =>
      act(options, (output) => createApp(name, options, output)),
    );
  app
    .command("list")
    .description("list apps and their keys")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Example:
  wakeshift app list`),
    )
    .action((options: { data?: string; core?: string; json?: boolean }) => act(options, (output) => listApps(options, output)));
};

/** Makes an app and its first key, shown once. */
export async function createApp(name: string, choice: CoreChoice, output: Output): Promise<undefined> {
  const { app, key, place } = await withAppAdmin(choice, process.env, async (admin) => ({
    ...(await admin.createApp(name)),
    place: admin.place,
  }));
  output.show(
    { app, key: { id: key.keyId, key: key.key }, ...place },
    [
      `App ${app.name} (${app.id}) in ${describePlace(place)}, key ${key.keyId}. The key is shown this once; put it into your server's environment:`,
      "",
      `  WAKESHIFT_KEY=${key.key}`,
    ].join("\n"),
  );
  return undefined;
}

/** Lists apps with the ids of their keys. */
export async function listApps(choice: CoreChoice, output: Output): Promise<undefined> {
  const { apps, place } = await withAppAdmin(choice, process.env, async (admin) => ({ apps: await admin.listApps(), place: admin.place }));
  const rows = apps.flatMap((app) => [
    [app.name, app.id, ""],
    ...app.keys.map((key) => [`  key ${key.id}`, key.name, key.revoked === undefined ? `since ${key.created}` : `revoked ${key.revoked}`]),
  ]);
  const none = `No app yet in ${describePlace(place)}. Make one: ${ownCommand(["app", "create", "NAME"])}`;
  output.show({ apps, ...place }, rows.length === 0 ? none : table(rows));
  return undefined;
}
