import { lastHookRun } from "@wakeshift/bridge";
import type { Check, ProgramSetup, SettingsContext } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import { describeFailure } from "../output.ts";
import { readApplied, setUpAt } from "../setup/applied.ts";
import { VERSION } from "../version.ts";
import { checkHookRun } from "./check-hook-run.ts";
import { checkLauncher } from "./check-launcher.ts";

/**
 * One program's part of `doctor`: what it checks itself, unless it isn't here or was never set up, which is no fault. What can't
 * be checked is a fault of its own, and keeps no other program from its check.
 *
 * @param subscriptions how many its conversations have: with any, a program that isn't set up is a fault
 */
export async function checkProgram(program: ProgramSetup, context: SettingsContext, subscriptions: number): Promise<readonly Check[]> {
  return checked(program, context, subscriptions).catch((error: unknown) => {
    const { code, message } = describeFailure(error);
    const fix = `what it says, then: ${ownCommand(["doctor"])}`;
    return [{ program: program.name, check: "checks", ok: false, detail: `couldn't be run: ${message} (${code})`, fix }];
  });
}

async function checked(program: ProgramSetup, context: SettingsContext, subscriptions: number): Promise<readonly Check[]> {
  const { name } = program;
  const found = await program.find(context);
  if (!found.found) return [{ program: name, check: "installed", ok: true, detail: `not on this machine (${found.detail})`, fix: "" }];
  if (await wasNeverSetUp(program, context)) {
    const setUp = ownCommand(["setup", name]);
    const version = await program.checkVersion(context);
    if (version.ok && subscriptions > 0) return [checkRemoved(name, subscriptions)];
    if (version.ok && program.recordsSubscription?.(context, Date.now()) === true) return [checkUnheard(name)];
    if (version.ok) return [{ program: name, check: "set up", ok: true, detail: "not set up", fix: setUp }];
    const detail = `not set up, and can't be used as it is: ${version.detail}`;
    return [{ program: name, check: "version", ok: true, detail, fix: `${version.fix}, then: ${setUp}` }];
  }
  const checks = await program.check(context);
  if (checks.length === 0) return checks;
  const { wakeshiftHome } = context;
  const [run, lastTurn] = [lastHookRun(name), program.lastTurn?.(context)];
  const causes = [...checks, await checkLauncher(name, context, VERSION)];
  const ran = checkHookRun(name, { run, setUpAt: setUpAt(wakeshiftHome, name), lastTurn, now: Date.now() });
  // A cause is known then, and to start the program again would fix nothing.
  return !ran.ok && causes.some((check) => !check.ok) ? causes : [...causes, ran];
}

/** Set-up was taken out, and what was subscribed before is left. */
function checkRemoved(program: ProgramSetup["name"], subscriptions: number): Check {
  const detail = `not set up, though ${count(subscriptions)} of its conversations are left: their wakes wait`;
  const end = ownCommand(["end", "--program", program]);
  return { program, check: "set up", ok: false, detail, fix: `${ownCommand(["setup", program])}, or end them: ${end}` };
}

/** It was never set up, and a tool subscribed one of its conversations. */
function checkUnheard(program: ProgramSetup["name"]): Check {
  const detail = "not set up, though a tool has subscribed one of its conversations: no bridge holds the ticket, so nothing can wake it";
  return { program, check: "set up", ok: false, detail, fix: ownCommand(["setup", program]) };
}

const count = (subscriptions: number): string => `${String(subscriptions)} ${subscriptions === 1 ? "subscription" : "subscriptions"}`;

/** Set-up was never applied here, would have something to do, and a removal would find nothing. */
async function wasNeverSetUp(program: ProgramSetup, context: SettingsContext): Promise<boolean> {
  if (readApplied(context.wakeshiftHome, program.name).length > 0) return false;
  try {
    const install = await program.install(context);
    if (install.files.length === 0) return false;
    const remove = await program.remove(context, []);
    return remove.files.length === 0 && remove.steps.length === 0;
  } catch {
    // Settings that can't be read: the checks say what is wrong with them.
    return false;
  }
}
