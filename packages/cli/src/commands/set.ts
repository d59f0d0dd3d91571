import { changeSetting } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { describeSettings } from "../show/describe-settings.ts";
import { useBridge } from "../show/use-bridge.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `set`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("set")
    .description("change a setting of this machine, and show all of them")
    .argument("<key>", "resume, unattended-wait or wake-budget")
    .argument("<value>", "what it takes stands below, under Settings")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Settings:
  resume            may a wake continue a closed conversation? never (default), unattended (runs such as
                    \`codex exec\` and \`claude -p\`), always. It spends model calls with nobody watching
  unattended-wait   how long an unattended run that subscribed is held open for its event (default 10m, at most 24h;
                    a number counts in milliseconds)
  wake-budget       wakes per conversation and hour (default 60); those above it are held and delivered together

Examples:
  wakeshift set resume unattended
  wakeshift set unattended-wait 30m`),
    )
    .action((key: string, value: string, options: { json?: boolean }) => act(options, (output) => set(key, value, output)));
  // Listed for completeness; main.ts takes it before this file is loaded.
};

/** Changes one setting of this machine and prints all of them. */
export async function set(key: string, value: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const settings = await changeSetting(key, value);
  output.show(settings, describeSettings(settings));
  return undefined;
}
