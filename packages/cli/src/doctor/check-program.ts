import { lastHookRun, ownCommand, type Check, type Program, type SettingsContext } from "@wakeshift/bridge";
import { describeFailure } from "../output.ts";
import { readApplied, setUpAt } from "../setup/applied.ts";
import { VERSION } from "../version.ts";
import { checkHookRun } from "./check-hook-run.ts";
import { checkLauncher } from "./check-launcher.ts";

/**
 * One program's part of `doctor`: what it checks itself, unless it isn't here or was never set up, which is no fault. What can't
 * be checked is a fault of its own, and keeps no other program from its check.
 */
export async function checkProgram(program: Program, context: SettingsContext): Promise<readonly Check[]> {
  return checked(program, context).catch((error: unknown) => {
    const { code, message } = describeFailure(error);
    const fix = `what it says, then: ${ownCommand(["doctor"])}`;
    return [{ program: program.name, check: "checks", ok: false, detail: `couldn't be run: ${message} (${code})`, fix }];
  });
}

async function checked(program: Program, context: SettingsContext): Promise<readonly Check[]> {
  const { name } = program;
  const found = await program.settings.find(context);
  if (!found.found) return [{ program: name, check: "installed", ok: true, detail: `not on this machine (${found.detail})`, fix: "" }];
  if (await wasNeverSetUp(program, context)) {
    const setUp = ownCommand(["setup", name]);
    const version = await program.checkVersion(context);
    if (version.ok) return [{ program: name, check: "set up", ok: true, detail: "not set up", fix: setUp }];
    const detail = `not set up, and can't be used as it is: ${version.detail}`;
    return [{ program: name, check: "version", ok: true, detail, fix: `${version.fix}, then: ${setUp}` }];
  }
  const checks = await program.check(context);
  if (checks.length === 0) return checks;
  const { wakeshiftHome } = context;
  const [run, lastTurn] = [lastHookRun(name), program.lastTurn?.(context)];
  return [
    ...checks,
    await checkLauncher(name, context, VERSION),
    checkHookRun(name, { run, setUpAt: setUpAt(wakeshiftHome, name), lastTurn, now: Date.now() }),
  ];
}

/** Set-up was never applied here, would have something to do, and a removal would find nothing. */
async function wasNeverSetUp({ name, settings }: Program, context: SettingsContext): Promise<boolean> {
  if (readApplied(context.wakeshiftHome, name).length > 0) return false;
  try {
    const install = await settings.install(context);
    if (install.files.length === 0) return false;
    const remove = await settings.remove(context, []);
    return remove.files.length === 0 && remove.steps.length === 0;
  } catch {
    // Settings that can't be read: the checks say what is wrong with them.
    return false;
  }
}
