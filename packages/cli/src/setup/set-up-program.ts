import { rmSync } from "node:fs";
import { keptSubscriptions } from "@wakeshift/bridge";
import type { ProgramSetup, SettingsContext, SettingsPlan } from "@wakeshift/programs/setup";
import { replaceUserFile } from "@wakeshift/programs/machine";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Output } from "../output.ts";
import { agree } from "./agree.ts";
import { forgetApplied, readApplied, rememberApplied, type AppliedChange } from "./applied.ts";
import { describeDiff } from "./describe-diff.ts";
import { describeLeft } from "./describe-left.ts";
import type { SetupOutcome } from "./describe-outcomes.ts";
import { describePlan } from "./describe-plan.ts";
import { installLauncher } from "./install-launcher.ts";
import { removeMadeFolders } from "./remove-made-folders.ts";
import { createSettingsContext } from "./settings-context.ts";

/** What is to be done with each program. Neither `remove` nor `diff`: connect it. */
export interface SetupOptions {
  /** Answers every question. */
  readonly yes?: boolean;
  readonly remove?: boolean;
  /** Shows every line and changes nothing. */
  readonly diff?: boolean;
}

/**
 * Connects one program, or takes Wakeshift out of it again: shows every change before it is made, and asks.
 *
 * @throws WakeshiftError where the program's settings can't be read or changed, `bad_request` where it would have to ask and can't.
 */
export async function setUpProgram(program: ProgramSetup, options: SetupOptions, output: Output): Promise<SetupOutcome> {
  const context = createSettingsContext(program.name, output);
  const found = await program.find(context);
  if (found.fails === true && options.remove !== true)
    throw new WakeshiftError(
      "bad_request",
      `${program.name} is installed, but doesn't work: ${found.detail}. Repair it, then run this again.`,
    );
  if (!found.found && options.remove !== true) {
    output.note(`${program.name}: not found on this machine (${found.detail}). Install it, or put it on the PATH, and run this again.`);
    return { program: program.name, result: "not found", files: [], notes: [found.detail], warnings: [] };
  }
  return options.remove === true ? takeOut(program, context, options, output) : connect(program, context, options, output);
}

async function connect(program: ProgramSetup, context: SettingsContext, options: SetupOptions, output: Output): Promise<SetupOutcome> {
  const plan = await program.install(context);
  const warnings = await warningsOf(program, context);
  const told = warnings.map((warning) => `\n  ${warning}`).join("");
  if (isEmpty(plan)) {
    const repaired = options.diff === true ? undefined : installLauncher(context);
    const done = repaired === undefined ? "nothing to change" : `repaired: ${repaired}`;
    output.note(`${program.name}: ${done}${told === "" ? "" : `, but it can't be woken:${told}`}`);
    return { ...outcomeOf(plan, repaired === undefined ? "nothing to change" : "repaired", warnings), ...repairedField(repaired) };
  }
  if (options.diff === true) return showDiff(plan, warnings, output);
  output.note(`${program.name}:\n${describePlan(plan)}`);
  if (told !== "") output.note(`${program.name} can't be woken as it is, set up or not:${told}`);
  const refused = await refusalOf(plan, options, output);
  if (refused !== undefined) return outcomeOf(plan, refused, warnings);
  const repaired = installLauncher(context);
  await apply(plan, context, false);
  const done = told === "" ? "connected" : `set up, but not connected yet:${told}`;
  const notes = [...(repaired === undefined ? [] : [`Repaired: ${repaired}.`]), ...plan.notes];
  output.note([`${program.name}: ${done}`, ...notes.map((note) => `  ${note}`)].join("\n"));
  return { ...outcomeOf(plan, "done", warnings), ...repairedField(repaired) };
}

async function takeOut(program: ProgramSetup, context: SettingsContext, options: SetupOptions, output: Output): Promise<SetupOutcome> {
  const plan = await program.remove(context, readApplied(context.wakeshiftHome, program.name));
  if (options.diff === true && !isEmpty(plan)) return showDiff(plan, [], output);
  if (!isEmpty(plan)) {
    output.note(`${program.name}:\n${describePlan(plan)}`);
    const refused = await refusalOf(plan, options, output);
    if (refused !== undefined) return outcomeOf(plan, refused, []);
    await apply(plan, context, true);
  }
  const done = isEmpty(plan) ? "nothing to change" : "taken out";
  output.note([`${program.name}: ${done}`, ...plan.notes.map((note) => `  ${note}`)].join("\n"));
  if (options.diff !== true) clearAway(context, program.name, output);
  const left = (await keptSubscriptions()).filter((one) => one.program === program.name);
  if (left.length > 0) output.note(describeLeft(program.name, left));
  return { ...outcomeOf(plan, isEmpty(plan) ? "nothing to change" : "done", []), subscriptions_left: left.length };
}

const repairedField = (repaired: string | undefined): Pick<SetupOutcome, "repaired"> => (repaired === undefined ? {} : { repaired });

const isEmpty = (plan: SettingsPlan): boolean => plan.files.length === 0 && plan.steps.length === 0;

function outcomeOf(plan: SettingsPlan, result: SetupOutcome["result"], warnings: readonly string[]): SetupOutcome {
  const refused = result === "declined" || result === "stopped";
  return {
    program: plan.program,
    result,
    files: refused ? [] : plan.files.map((change) => change.path),
    notes: refused ? [] : plan.notes,
    warnings,
  };
}

async function showDiff(plan: SettingsPlan, warnings: readonly string[], output: Output): Promise<SetupOutcome> {
  const diff = await describeDiff(plan);
  output.note(`${plan.program}:\n${diff}\nNothing was changed.`);
  return { ...outcomeOf(plan, "shown", warnings), diff };
}

/** How the user refused; `undefined`: they said yes. */
async function refusalOf(plan: SettingsPlan, options: SetupOptions, output: Output): Promise<"declined" | "stopped" | undefined> {
  const answer = options.yes === true ? "yes" : await agree(plan, options.remove === true, output);
  if (answer === "yes") return undefined;
  output.note(`${answer === "stopped" ? "\n" : ""}${plan.program}: nothing was changed`);
  return answer === "no" ? "declined" : "stopped";
}

/** A version that can't be woken is set up all the same: it works once the program is another version. */
async function warningsOf(program: ProgramSetup, context: SettingsContext): Promise<readonly string[]> {
  const version = await program.checkVersion(context);
  return version.ok ? [] : [`${version.detail}. Fix: ${version.fix}`];
}

async function apply(plan: SettingsPlan, context: SettingsContext, removing: boolean): Promise<void> {
  const remember = (change: AppliedChange): void =>
    rememberApplied(context.wakeshiftHome, plan.program, [{ ...change, at: new Date().toISOString() }]);
  for (const change of plan.files) {
    if (context.read(change.path) !== change.before) {
      throw new WakeshiftError(
        "bad_request",
        `${change.path} changed while you were asked; nothing more was written. Run the command again.`,
      );
    }
    if (change.after === undefined) rmSync(change.path, { force: true });
    const madeFolder = change.after === undefined ? undefined : replaceUserFile(change.path, change.after);
    // Remembered file by file: a stop in the middle must leave a removal that knows what was done.
    if (!removing) remember({ ...change, ...(madeFolder === undefined ? {} : { madeFolder }) });
  }
  for (const step of plan.steps) for (const change of await step.apply()) remember(change);
}

/** After a removal: takes away the empty folders that set-up made, and forgets what it did. */
function clearAway(context: SettingsContext, program: string, output: Output): void {
  const applied = readApplied(context.wakeshiftHome, program);
  if (applied.length === 0) return;
  for (const folder of removeMadeFolders(applied)) output.note(`  Removed ${folder}, which set-up had made and which was empty.`);
  forgetApplied(context.wakeshiftHome, program);
}
