import { isAnythingSubscribed, listLocalCores, PROGRAM_REGISTRY, readStatus, type Check } from "@wakeshift/bridge";
import { cleanLine } from "@wakeshift/protocol";
import type { Output } from "../output.ts";
import { createSettingsContext } from "../setup/settings-context.ts";
import { checkBridge, missedCores } from "../doctor/check-bridge.ts";
import { answersHealth, checkLocalCores } from "../doctor/check-local-cores.ts";
import { checkProgram } from "../doctor/check-program.ts";
import { checkSubscriptions } from "../doctor/check-subscriptions.ts";
import { VERSION } from "../version.ts";

/**
 * Checks the bridge, every core it uses and every agent program found here, the real way, and names what fixes each
 * fault.
 *
 * @returns 0 where all is well, 1 if something failed.
 */
export async function doctor(output: Output): Promise<number> {
  const status = await readStatus();
  const local = await checkLocalCores(listLocalCores(), answersHealth, missedCores(status));
  const checks: Check[] = [...checkBridge(status, VERSION), ...local];
  for (const program of PROGRAM_REGISTRY) checks.push(...(await checkProgram(program, createSettingsContext(program.name, output))));
  checks.push(...checkSubscriptions(status, isAnythingSubscribed()));
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
const FIX_WORDS = { FAIL: "fix", off: "turn on", "--": "to use it", ok: "do" } as const;

/** `FAIL`: broken. `off`: works once it is turned on. `--`: not here, or of a version that can't be used; no fault. */
function markOf({ ok, check, fix }: Check): keyof typeof FIX_WORDS {
  if (!ok) return "FAIL";
  if (check === "installed" || (check === "version" && fix !== "")) return "--";
  return fix === "" ? "ok" : "off";
}
