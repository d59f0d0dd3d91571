import { homedir } from "node:os";
import { WakeshiftError } from "@wakeshift/protocol";
import { readStatus, stopBridge } from "@wakeshift/bridge";
import { type ProgramSetup, PROGRAM_SETUPS } from "@wakeshift/programs/setup";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import { describeFailure, type Output } from "../output.ts";
import { assertOwnHome } from "../setup/assert-own-home.ts";
import { describeOutcomes, type SetupOutcome } from "../setup/describe-outcomes.ts";
import { setUpProgram, type SetupOptions } from "../setup/set-up-program.ts";
import { VERSION } from "../version.ts";
import { Option } from "commander";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `setup`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("setup")
    .description("connect agent programs to Wakeshift, or take it out again")
    .argument("[program...]", "codex, claude-code, opencode (default: all that are found)")
    .option("--yes", "apply without asking")
    .option("--remove", "take Wakeshift out again, byte for byte")
    .addOption(new Option("--diff", "show every line of the change, and change nothing").conflicts("yes"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`For each program it shows which files it would change and asks before it changes them. One that fails doesn't
stop the others; the command then leaves with 1.

Examples:
  wakeshift setup                       every program that is found here
  wakeshift setup codex
  wakeshift setup codex --diff          every line it would change; nothing is changed
  wakeshift setup codex --remove        gives the earlier bytes back; says which subscriptions stay`),
    )
    .action((names: string[], options: { yes?: boolean; remove?: boolean; diff?: boolean; json?: boolean }) =>
      act(options, (output) => setup(names, options, output)),
    );
};

/**
 * Connects agent programs, or takes Wakeshift out of them again, one after the other: one that fails keeps no other from its
 * turn. Shows every change before it is made and asks for a yes for each program.
 *
 * @returns 1 where a program failed, where a question was left without an answer, where one that was named isn't here, and where
 * none is; else 0.
 * @throws WakeshiftError `bad_request` for a program that isn't known, and as root in another user's home; nothing is looked at then.
 */
export async function setup(names: readonly string[], options: SetupOptions, output: Output): Promise<number> {
  const programs = pickPrograms(names);
  if (options.diff !== true) assertOwnHome([homedir(), resolveHomeFolder(process.env)]);
  const outcomes: SetupOutcome[] = [];
  for (const program of programs) {
    const outcome = await setUpProgram(program, options, output).catch((error: unknown) => failed(program.name, error));
    if (outcome.error !== undefined) output.aside(tellFailure(outcome.error, programs.length > 1 ? program.name : undefined));
    outcomes.push(outcome);
    if (outcome.result === "stopped") break;
  }
  const untouched = programs.slice(outcomes.length).map((program) => program.name);
  if (untouched.length > 0) output.note(`Stopped there. Not looked at: ${untouched.join(", ")}.`);
  const told = describeOutcomes(outcomes);
  if (told !== "") output.note(told);
  const kept = options.remove === true || options.diff === true ? undefined : await replaceOlderBridge().catch(describeFailure);
  if (kept !== undefined) output.aside(tellFailure(kept));
  const error = outcomes.find((outcome) => outcome.error !== undefined)?.error ?? kept;
  if (output.json) output.show({ ...(error === undefined ? {} : { error }), programs: outcomes }, "");
  const missing = outcomes.filter((outcome) => outcome.result === "not found");
  const lacking = missing.length > 0 && (names.length > 0 || missing.length === outcomes.length);
  return error !== undefined || untouched.length > 0 || outcomes.at(-1)?.result === "stopped" || lacking ? 1 : 0;
}

function failed(program: string, error: unknown): SetupOutcome {
  return { program, result: "failed", files: [], notes: [], warnings: [], error: describeFailure(error) };
}

/** As every failure of this command is told; among several programs, with the one it befell. */
function tellFailure({ code, message }: { readonly code: string; readonly message: string }, program?: string): string {
  return `wakeshift: ${program === undefined ? "" : `${program}: `}${message} (${code})`;
}

/** A bridge that was started before an upgrade would go on with the old code: the next hook starts this version's. */
async function replaceOlderBridge(): Promise<undefined> {
  const running = await readStatus();
  if (running !== undefined && running.version !== VERSION) await stopBridge();
  return undefined;
}

function pickPrograms(names: readonly string[]): readonly ProgramSetup[] {
  if (names.length === 0) return PROGRAM_SETUPS;
  return [...new Set(names)].map((name) => {
    const program = PROGRAM_SETUPS.find((known) => known.name === name);
    if (program !== undefined) return program;
    const known = PROGRAM_SETUPS.map((each) => each.name).join(", ");
    throw new WakeshiftError("bad_request", `There is no set-up for "${name}". Known programs: ${known}.`);
  });
}
