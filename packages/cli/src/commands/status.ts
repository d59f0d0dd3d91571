import { existsSync } from "node:fs";
import { isAnythingSubscribed, lastWake, readStatus, type StatusAnswer } from "@wakeshift/bridge";
import { PROGRAM_SETUPS } from "@wakeshift/programs/setup";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import { readApplied } from "../setup/applied.ts";
import { launcherPath } from "../setup/launcher.ts";
import { describeAbsence, describeLastWake, formatStatus, type HookFacts } from "../show/format-status.ts";
import type { Output } from "../output.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `status`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("status")
    .description("show what the bridge is connected to, what waits and why, when the last wake came, and the settings")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`\`wakeshift set\` changes the settings, \`wakeshift list\` shows each subscription.

Example:
  wakeshift status`),
    )
    .action((options: { json?: boolean }) => act(options, (output) => status(output)));
};

/** Prints what the bridge is connected to, what waits, and where it stands. A bridge that doesn't run is an answer, not a failure. */
export async function status(output: Output): Promise<undefined> {
  const answer: StatusAnswer | undefined = await readStatus();
  const now = Date.now();
  if (answer === undefined) {
    const last = lastWake();
    output.show(
      { running: false, ...(last === undefined ? {} : { last_wake: last }) },
      `${describeAbsence(isAnythingSubscribed(), hookFacts())}\n${describeLastWake(last, now)}`,
    );
    return undefined;
  }
  output.show({ running: true, ...answer }, formatStatus(answer, now, hookFacts()));
  return undefined;
}

function hookFacts(): HookFacts {
  const home = resolveHomeFolder(process.env);
  return {
    isSetUp: PROGRAM_SETUPS.some(({ name }) => readApplied(home, name).length > 0),
    hasLauncher: existsSync(launcherPath(home, process.platform)),
  };
}
