import { isAnythingSubscribed, keptSubscriptions, lastBridgeFault, listLocalCores, readStatus } from "@wakeshift/bridge";
import { type Check, PROGRAM_SETUPS } from "@wakeshift/programs/setup";
import { cleanLine } from "@wakeshift/protocol";
import type { Output } from "../output.ts";
import { readApplied } from "../setup/applied.ts";
import { createSettingsContext } from "../setup/settings-context.ts";
import { checkBridge, missedCores } from "../doctor/check-bridge.ts";
import { checkConversations } from "../doctor/check-conversations.ts";
import { askReadiness, checkLocalCores } from "../doctor/check-local-cores.ts";
import { checkOwners } from "../doctor/check-owners.ts";
import { checkProgram } from "../doctor/check-program.ts";
import { checkSubscriptions } from "../doctor/check-subscriptions.ts";
import { VERSION } from "../version.ts";
import { examplesBelow, jsonOption, type AddCommand } from "../command.ts";

/** The command `doctor`. */
export const addCommand: AddCommand = (program, act) => {
  program
    .command("doctor")
    .description("check every program and core, and name the command that fixes what is broken")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examplesBelow(`Each line begins with what it found:
  ok    works
  off   works once it is turned on, by the command below it
  new   set up, but no hook has run yet that would prove it
  FAIL  broken; the command below it fixes it
  --    not on this machine, or of a version that can't be used; no fault

It exits with 1 if a line says FAIL.

Example:
  wakeshift doctor`),
    )
    .action((options: { json?: boolean }) => act(options, (output) => doctor(output)));
};

/**
 * Checks the bridge, every core it uses and every agent program found here, the real way, and names what fixes each
 * fault.
 *
 * @returns 0 where all is well, 1 if something failed.
 */
export async function doctor(output: Output): Promise<number> {
  const status = await readStatus();
  const local = await checkLocalCores(listLocalCores(), askReadiness, missedCores(status));
  const bridge = { ownVersion: VERSION, isNeeded: isAnythingSubscribed(), lastFault: lastBridgeFault() };
  const checks: Check[] = [...checkBridge(status, bridge), ...local];
  const kept = await keptSubscriptions();
  for (const program of PROGRAM_SETUPS) {
    const subscriptions = kept.filter((one) => one.program === program.name).length;
    checks.push(...(await checkProgram(program, createSettingsContext(program.name, output), subscriptions)));
  }
  const context = createSettingsContext("files", output);
  const settings = PROGRAM_SETUPS.flatMap(({ name }) => readApplied(context.wakeshiftHome, name).map(({ path }) => path));
  checks.push(...checkOwners(context, settings));
  checks.push(...checkSubscriptions(status, bridge.isNeeded), ...checkConversations(status));
  const ok = checks.every((check) => check.ok);
  output.show({ ok, checks }, checks.map(describe).join("\n"));
  return ok ? 0 : 1;
}

function describe(check: Check): string {
  const { program, detail, fix } = check;
  const mark = markOf(check);
  const line = cleanLine(`${mark.padEnd(4)} ${program}: ${check.check}: ${detail}`);
  return fix === "" ? line : `${line}\n     ${FIX_WORDS[mark]}: ${fix}`;
}

/** What stands before the command that goes with a line. */
const FIX_WORDS = { FAIL: "fix", off: "turn on", new: "prove it", "--": "to use it", ok: "do" } as const;

/** `FAIL`: broken. `off`: works once it is turned on. `new`: nothing has proven it yet. `--`: not here, or of a version that can't be used; no fault. */
function markOf({ ok, check, fix }: Check): keyof typeof FIX_WORDS {
  if (!ok) return "FAIL";
  if (check === "installed" || (check === "version" && fix !== "")) return "--";
  if (fix === "") return "ok";
  return check === "hook ran" ? "new" : "off";
}
