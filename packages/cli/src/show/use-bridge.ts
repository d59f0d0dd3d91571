import { ensureBridge } from "@wakeshift/bridge";
import { ownCommand } from "@wakeshift/programs/machine";
import type { Output } from "../output.ts";

/** Sees to it that a bridge runs, and says so where it had to be started: it stays when the command has ended. */
export async function useBridge(output: Output): Promise<void> {
  if (await ensureBridge())
    output.aside(`Started the bridge: it answers this, and stays in the background. \`${ownCommand(["bridge", "--stop"])}\` stops it.`);
}
