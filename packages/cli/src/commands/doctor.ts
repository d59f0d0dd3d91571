import { PROGRAM_REGISTRY, readStatus, type Check } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { createSettingsContext } from "../setup/settings-context.ts";
import { checkBridge } from "../doctor/check-bridge.ts";
import { VERSION } from "../version.ts";

/**
 * Checks the bridge, every core it uses and every agent program found here, the real way, and names what mends each
 * fault.
 *
 * @returns 0 where all is well, 1 where something is cut.
 */
export async function doctor(output: Output): Promise<number> {
  const checks: Check[] = [...checkBridge(await readStatus(), VERSION)];
  for (const program of PROGRAM_REGISTRY) {
    const context = createSettingsContext(program.name);
    const found = await program.settings.find(context);
    if (found.found) checks.push(...(await program.check(context)));
    else checks.push({ program: program.name, check: "installed", ok: true, detail: `not on this machine (${found.detail})`, mend: "" });
  }
  const ok = checks.every((check) => check.ok);
  output.show({ ok, checks }, checks.map(describe).join("\n"));
  return ok ? 0 : 1;
}

function describe(check: Check): string {
  const line = `${check.ok ? "ok  " : "CUT "} ${check.program}: ${check.check}: ${check.detail}`;
  return check.mend === "" ? line : `${line}\n     mend: ${check.mend}`;
}
