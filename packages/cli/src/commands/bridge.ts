import { ensureBridge, runBridge, stopBridge } from "@wakeshift/bridge";
import { ownCommand } from "@wakeshift/programs/machine";
import type { Output } from "../output.ts";
import { Option } from "commander";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `bridge`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("bridge")
    .description("run the local process that wakes this machine's conversations")
    .option("--start", "start one in the background, if none runs")
    .addOption(new Option("--stop", "stop the one that runs, wherever it was started").conflicts("start"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Nobody has to start it: hooks do, and the commands that ask it. It stays in the foreground when started here.

Examples:
  wakeshift bridge
  wakeshift bridge --start              one in the background
  wakeshift bridge --stop               nothing is lost: what is subscribed and pending is on disk`),
    )
    .action((options: { start?: boolean; stop?: boolean; json?: boolean }) => act(options, (output) => bridge(options, output)));
};

interface BridgeOptions {
  readonly start?: boolean;
  readonly stop?: boolean;
}

/** Runs the bridge until it is stopped, starts one in the background, or stops the one that runs. */
export async function bridge(options: BridgeOptions, output: Output): Promise<undefined> {
  if (options.stop === true) {
    const stopped = await stopBridge();
    output.show(
      { stopped },
      stopped
        ? "The bridge is stopped. A hook or an open program that needs it starts it again, and so does a command that asks it."
        : "The bridge wasn't running.",
    );
    return undefined;
  }
  if (options.start === true) {
    const started = await ensureBridge();
    output.show({ started }, started ? "The bridge is started, and stays in the background." : "The bridge runs already.");
    return undefined;
  }
  if ((await runBridge()) === "already_runs")
    output.show({ running: true }, `The bridge runs already; \`${ownCommand(["status"])}\` shows it.`);
  return undefined;
}
