import { ownCommand } from "@wakeshift/programs/machine";
import { WakeshiftError } from "@wakeshift/protocol";
import { describePlace, withAppAdmin, type CoreChoice } from "../core/open-app-admin.ts";
import type { Output } from "../output.ts";
import { coreOption, dataOption, examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `key`. */
export const addCommand: AddCommand = (program, act) => {
  const key = program.command("key").description("make and revoke the keys of an app");
  key
    .command("create")
    .description("make another key of an app, shown this once; its keys work side by side")
    .argument("<app>", "the app's id or name")
    .option("--name <name>", "tells it from the app's other keys, such as where it is used (default: none)")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Example:
  wakeshift key create Crawler --name "test server"`),
    )
    .action((app: string, options: { name?: string; data?: string; core?: string; json?: boolean }) =>
      act(options, (output) => createKey(app, options, output)),
    );
  key
    .command("revoke")
    .description("revoke a key, in force within a second")
    .argument("<kid>", "the key's id, as `app list` shows it")
    .addOption(dataOption())
    .addOption(coreOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Example:
  wakeshift key revoke KID          KID is the id that \`wakeshift app list\` shows`),
    )
    .action((kid: string, options: { data?: string; core?: string; json?: boolean }) =>
      act(options, (output) => revokeKey(kid, options, output)),
    );
};

/** Makes another key of an app, shown once. Its name is what `app list` tells it from the others by. */
export async function createKey(app: string, choice: CoreChoice & { readonly name?: string }, output: Output): Promise<undefined> {
  const { key, place } = await withAppAdmin(choice, process.env, async (admin) => ({
    key: await admin.createKey(app, choice.name),
    place: admin.place,
  }));
  output.show(
    { key: { id: key.keyId, name: key.name, key: key.key }, ...place },
    [
      `Key ${key.keyId} (${key.name}) in ${describePlace(place)}. It is shown this once; put it into your server's environment:`,
      "",
      `  WAKESHIFT_KEY=${key.key}`,
    ].join("\n"),
  );
  return undefined;
}

/**
 * Revokes a key.
 *
 * @throws WakeshiftError `bad_request` where there is no such key
 */
export async function revokeKey(keyId: string, choice: CoreChoice, output: Output): Promise<undefined> {
  const revoked = await withAppAdmin(choice, process.env, (admin) => admin.revokeKey(keyId));
  if (!revoked)
    throw new WakeshiftError("bad_request", `There is no key ${keyId}. \`${ownCommand(["app", "list"])}\` shows the keys there are.`);
  output.show({ revoked: keyId }, `${keyId} is revoked; it is refused within a second.`);
  return undefined;
}
