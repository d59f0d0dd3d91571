import { createInterface } from "node:readline/promises";
import type { SettingsPlan } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Output } from "../output.ts";
import { describeDiff } from "./describe-diff.ts";

/**
 * Asks whether a plan is to be applied, showing every line of it on demand. `stopped`: whoever was asked closed the input or
 * pressed Ctrl-C, and wants nothing more of this.
 *
 * @throws WakeshiftError `bad_request` where there is nobody to ask.
 */
export async function agree(plan: SettingsPlan, removing: boolean, output: Output): Promise<"yes" | "no" | "stopped"> {
  const name = plan.program;
  const command = ownCommand(["setup", name, ...(removing ? ["--remove"] : [])]);
  if (output.json || !process.stdin.isTTY) {
    throw new WakeshiftError(
      "bad_request",
      `Changing ${name}'s settings needs your yes, and there is no terminal to ask on. Look at every line of it with \`${command} --diff\`, then add --yes.`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // A closed input leaves a question without an answer for ever; newer versions of Node reject it on Ctrl-C.
  const closed = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
  const ask = (): Promise<string | undefined> => terminal.question("Apply this? [y/N, d shows every line] ").catch(undefinedIfAborted);
  try {
    for (;;) {
      const answer = await Promise.race([ask(), closed]);
      if (answer === undefined) return "stopped";
      if (!/^d(iff)?$/i.test(answer.trim())) return /^y(es)?$/i.test(answer.trim()) ? "yes" : "no";
      output.note(await describeDiff(plan));
    }
  } finally {
    terminal.close();
  }
}

function undefinedIfAborted(error: unknown): undefined {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
