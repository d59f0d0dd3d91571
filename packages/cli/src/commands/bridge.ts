import { runBridge, stopBridge } from "@wakeshift/bridge";
import type { Output } from "../output.ts";

interface BridgeOptions {
  readonly stop?: boolean;
}

/** Runs the bridge until it is stopped, or stops the one that runs. */
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
  if ((await runBridge()) === "already_runs") output.show({ running: true }, "The bridge runs already; `wakeshift status` shows it.");
  return undefined;
}
