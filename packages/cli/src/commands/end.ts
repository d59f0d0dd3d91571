import { PROGRAMS, WakeshiftError } from "@wakeshift/protocol";
import { endSubscription, listSubscriptions } from "@wakeshift/bridge";
import { PROGRAM_SETUPS } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";
import type { Command } from "commander";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `end`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("end")
    .description("end one subscription, or all of one program's conversations")
    .argument("[subscription]", "its id, as `list` shows it")
    .option("--program <name>", "instead of an id: every subscription of codex, claude-code or opencode conversations here")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Examples:
  wakeshift end sub_1234                one, by the id that \`wakeshift list\` shows
  wakeshift end --program codex         all of Codex's conversations on this machine`),
    )
    .action((id: string | undefined, options: { program?: string; json?: boolean }, command: Command) => {
      const { program: name } = options;
      if (id !== undefined && name !== undefined) command.error("error: argument 'subscription' cannot be used with option '--program'");
      if (name !== undefined) return act(options, (output) => endOfProgram(name, output));
      if (id !== undefined) return act(options, (output) => end(id, output));
      return command.error("error: missing required argument 'subscription'");
    });
};

/**
 * Ends one subscription of this machine.
 *
 * @throws WakeshiftError `unknown_subscription` where this machine has none of that id.
 */
export async function end(id: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await endSubscription(id);
  if (answer.ended === 0)
    throw new WakeshiftError(
      "unknown_subscription",
      `This machine has no subscription ${id}. \`${ownCommand(["list"])}\` shows those it has.`,
    );
  output.show(answer, `Ended ${id}.`);
  return undefined;
}

/**
 * Ends every subscription of one agent program's conversations on this machine.
 *
 * @throws WakeshiftError `bad_request` for a program that isn't known.
 */
export async function endOfProgram(program: string, output: Output): Promise<undefined> {
  if (!PROGRAMS.some((known) => known === program))
    throw new WakeshiftError(
      "bad_request",
      `There is no program "${program}". Known programs: ${PROGRAM_SETUPS.map((each) => each.name).join(", ")}.`,
    );
  await useBridge(output);
  const { subscriptions } = await listSubscriptions();
  let ended = 0;
  for (const { id } of subscriptions.filter((each) => each.program === program)) ended += await endUnlessGone(id);
  output.show(
    { ended },
    ended === 0
      ? `No conversation of ${program} is subscribed to anything.`
      : `Ended ${String(ended)} ${ended === 1 ? "subscription" : "subscriptions"} of ${program}.`,
  );
  return undefined;
}

/** One that ended by itself meanwhile is as it should be. */
async function endUnlessGone(id: string): Promise<number> {
  try {
    return (await endSubscription(id)).ended;
  } catch (error) {
    if (WakeshiftError.isInstance(error) && error.code === "unknown_subscription") return 0;
    throw error;
  }
}
