import { rmSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { WakeshiftError } from "@wakeshift/protocol";
import {
  keptSubscriptions,
  PROGRAM_REGISTRY,
  readStatus,
  stopBridge,
  type Program,
  type SettingsContext,
  type SettingsPlan,
} from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { forgetApplied, readApplied, rememberApplied } from "../setup/applied.ts";
import { describeDiff } from "../setup/describe-diff.ts";
import { describeLeft } from "../setup/describe-left.ts";
import { describePlan } from "../setup/describe-plan.ts";
import { writeLauncher } from "../setup/launcher.ts";
import { removeMadeFolders } from "../setup/remove-made-folders.ts";
import { createSettingsContext } from "../setup/settings-context.ts";
import { writeFileAtomically } from "../setup/write-file.ts";
import { VERSION } from "../version.ts";

/** Options of `wakeshift setup`. */
export interface SetupOptions {
  readonly yes?: boolean;
  readonly remove?: boolean;
  /** Shows every line and changes nothing. */
  readonly diff?: boolean;
}

interface Outcome {
  readonly program: string;
  readonly result: "done" | "nothing to change" | "declined" | "not found" | "shown";
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** Why the program can't be woken although it is set up, and what mends it. Empty where it can. */
  readonly warnings: readonly string[];
  /** With `--diff`: every line that would be changed. */
  readonly diff?: string;
  /** With `--remove`: how many subscriptions of the program's conversations this machine still has. */
  readonly subscriptions_left?: number;
}

/**
 * Connects agent programs, or takes Wakeshift out of them again. Shows every change before it is made and asks for a
 * yes for each program.
 *
 * @throws WakeshiftError `bad_request` for a program that isn't known, or when it would have to ask and can't.
 */
export async function setup(names: readonly string[], options: SetupOptions, output: Output): Promise<number> {
  const programs = pickPrograms(names);
  const outcomes: Outcome[] = [];
  for (const program of programs) {
    const context = createSettingsContext(program.name);
    const found = await program.settings.find(context);
    if (!found.found && options.remove !== true) {
      output.note(`${program.name}: not found on this machine (${found.detail}). Install it, or put it on the PATH, and run this again.`);
      outcomes.push({ program: program.name, result: "not found", files: [], notes: [found.detail], warnings: [] });
      continue;
    }
    outcomes.push(await setUpOne(program, context, options, output));
  }
  if (options.remove !== true && options.diff !== true) await replaceOlderBridge();
  if (output.json) output.show({ programs: outcomes }, "");
  const asked = names.length > 0 && outcomes.some((outcome) => outcome.result === "not found");
  return asked || outcomes.every((outcome) => outcome.result === "not found") ? 1 : 0;
}

/** A bridge that was started before an upgrade would go on with the old code: the next hook starts this version's. */
async function replaceOlderBridge(): Promise<void> {
  const running = await readStatus();
  if (running !== undefined && running.version !== VERSION) await stopBridge();
}

function pickPrograms(names: readonly string[]): readonly Program[] {
  if (names.length === 0) return PROGRAM_REGISTRY;
  return names.map((name) => {
    const program = PROGRAM_REGISTRY.find((known) => known.name === name);
    if (program !== undefined) return program;
    const known = PROGRAM_REGISTRY.map((each) => each.name).join(", ");
    throw new WakeshiftError("bad_request", `There is no set-up for "${name}". Known programs: ${known}.`);
  });
}

async function setUpOne(program: Program, context: SettingsContext, options: SetupOptions, output: Output): Promise<Outcome> {
  if (options.remove === true) return takeOut(program, context, options, output);
  const plan = await program.settings.install(context);
  const warnings = await warningsOf(program, context);
  const told = warnings.map((warning) => `\n  ${warning}`).join("");
  if (isEmpty(plan)) {
    if (options.diff !== true) writeLauncher(context.wakeshiftHome, context.platform);
    output.note(`${program.name}: nothing to change${told === "" ? "" : `, but it can't be woken:${told}`}`);
    return outcomeOf(plan, "nothing to change", warnings);
  }
  if (options.diff === true) return showDiff(plan, warnings, output);
  output.note(`${program.name}:\n${describePlan(plan)}`);
  if (told !== "") output.note(`${program.name} can't be woken as it is, set up or not:${told}`);
  if (!(await isAgreed(plan, options, output))) return outcomeOf(plan, "declined", warnings);
  writeLauncher(context.wakeshiftHome, context.platform);
  await apply(plan, context, false);
  const done = told === "" ? "connected" : `set up, but not connected yet:${told}`;
  output.note([`${program.name}: ${done}`, ...plan.notes.map((note) => `  ${note}`)].join("\n"));
  return outcomeOf(plan, "done", warnings);
}

async function takeOut(program: Program, context: SettingsContext, options: SetupOptions, output: Output): Promise<Outcome> {
  const plan = await program.settings.remove(context, readApplied(context.wakeshiftHome, program.name));
  if (options.diff === true && !isEmpty(plan)) return showDiff(plan, [], output);
  if (!isEmpty(plan)) {
    output.note(`${program.name}:\n${describePlan(plan)}`);
    if (!(await isAgreed(plan, options, output))) return outcomeOf(plan, "declined", []);
    await apply(plan, context, true);
  }
  const done = isEmpty(plan) ? "nothing to change" : "taken out";
  output.note([`${program.name}: ${done}`, ...plan.notes.map((note) => `  ${note}`)].join("\n"));
  if (options.diff !== true) clearAway(context, program.name, output);
  const left = (await keptSubscriptions()).filter((one) => one.program === program.name);
  if (left.length > 0) output.note(describeLeft(program, left));
  return { ...outcomeOf(plan, isEmpty(plan) ? "nothing to change" : "done", []), subscriptions_left: left.length };
}

const isEmpty = (plan: SettingsPlan): boolean => plan.files.length === 0 && plan.steps.length === 0;

function outcomeOf(plan: SettingsPlan, result: Outcome["result"], warnings: readonly string[]): Outcome {
  const declined = result === "declined";
  return {
    program: plan.program,
    result,
    files: declined ? [] : plan.files.map((change) => change.path),
    notes: declined ? [] : plan.notes,
    warnings,
  };
}

function showDiff(plan: SettingsPlan, warnings: readonly string[], output: Output): Outcome {
  const diff = describeDiff(plan);
  const steps = plan.steps.map((step) => `then: ${step.description}`);
  output.note([`${plan.program}:`, ...(diff === "" ? [] : [diff]), ...steps, "Nothing was changed."].join("\n"));
  return { ...outcomeOf(plan, "shown", warnings), diff };
}

async function isAgreed(plan: SettingsPlan, options: SetupOptions, output: Output): Promise<boolean> {
  if (options.yes === true || (await agree(plan, options, output))) return true;
  output.note(`${plan.program}: nothing was changed`);
  return false;
}

/** A version that can't be woken is set up all the same: it works once the program is another version. */
async function warningsOf(program: Program, context: SettingsContext): Promise<readonly string[]> {
  const version = await program.checkVersion(context);
  return version.ok ? [] : [`${version.detail}. Mend it: ${version.mend}`];
}

async function apply(plan: SettingsPlan, context: SettingsContext, removing: boolean): Promise<void> {
  for (const change of plan.files) {
    if (context.read(change.path) !== change.before) {
      throw new WakeshiftError(
        "bad_request",
        `${change.path} changed while you were asked; nothing more was written. Run the command again.`,
      );
    }
    if (change.after === undefined) rmSync(change.path, { force: true });
    const madeFolder = change.after === undefined ? undefined : writeFileAtomically(change.path, change.after);
    // Remembered file by file: a stop in the middle must leave a removal that knows what was done.
    if (!removing)
      rememberApplied(context.wakeshiftHome, plan.program, [{ ...change, ...(madeFolder === undefined ? {} : { madeFolder }) }]);
  }
  for (const step of plan.steps) await step.apply();
}

/** After a removal: takes away the empty folders that set-up made, and forgets what it did. */
function clearAway(context: SettingsContext, program: string, output: Output): void {
  const applied = readApplied(context.wakeshiftHome, program);
  if (applied.length === 0) return;
  for (const folder of removeMadeFolders(applied)) output.note(`  Removed ${folder}, which set-up had made and which was empty.`);
  forgetApplied(context.wakeshiftHome, program);
}

async function agree(plan: SettingsPlan, options: SetupOptions, output: Output): Promise<boolean> {
  const name = plan.program;
  const command = `npx wakeshift setup ${name}${options.remove === true ? " --remove" : ""}`;
  if (output.json || !process.stdin.isTTY) {
    throw new WakeshiftError(
      "bad_request",
      `Changing ${name}'s settings needs your yes, and there is no terminal to ask on. Look at every line of it with \`${command} --diff\`, then add --yes.`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = (await terminal.question("Apply this? [y/N, d shows every line] ")).trim();
      if (!/^d(iff)?$/i.test(answer)) return /^y(es)?$/i.test(answer);
      output.note(describeDiff(plan));
    }
  } finally {
    terminal.close();
  }
}
