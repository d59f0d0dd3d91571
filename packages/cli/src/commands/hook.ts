import { runHook } from "@wakeshift/bridge/hook";
import { examplesBelow, type AddCommand } from "../command.ts";

/** The command `hook`. */
export const addCommand: AddCommand = (program) => {
  program
    .command("hook")
    .description("what an agent program's hook calls")
    .argument("<program>", "codex, claude-code or opencode")
    .argument("<event>", "the program's name for what happened")
    .addHelpText(
      "after",
      examplesBelow(`Agent programs call it; there is nothing to type. It reads the hook's input on stdin, and what goes wrong
never reaches the program: it stands in hook.log in Wakeshift's folder.

Example, as set-up writes it:
  wakeshift hook codex PostToolUse`),
    );
};

/** `wakeshift hook PROGRAM EVENT`: leaves the program working whatever happens here. */
export async function hook(args: readonly string[]): Promise<void> {
  await runHook(args);
}
