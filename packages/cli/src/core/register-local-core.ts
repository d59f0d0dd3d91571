import { registerLocalCore as register } from "@wakeshift/bridge";
import { ownCommand, resolveHomeFolder } from "@wakeshift/programs/machine";
import { describeFailure } from "../output.ts";
import type { Output } from "../output.ts";

/**
 * Lets this machine's bridge use a core that was started here, without asking its user. A core runs without that, too: in a
 * container there may be no bridge, and no folder to note it in.
 */
export function registerLocalCore(address: string, proofSecret: string, output: Output): void {
  try {
    register(resolveHomeFolder(process.env), address, proofSecret);
  } catch (error) {
    output.aside(
      `wakeshift: ${describeFailure(error).message} The core runs all the same. Agents on this machine can be woken by it after: ${ownCommand(["allow"], [address])}`,
    );
  }
}
