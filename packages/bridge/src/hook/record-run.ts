import type { BridgeHome } from "../home.ts";
import type { Program } from "@wakeshift/programs";
import { packageVersion } from "../package-version.ts";
import { recordHookRun } from "../state/hook-runs.ts";

/** Records that this program ran a hook of ours just now, as proof for `doctor`. A fault keeps nothing from going on. */
export function recordRun(home: BridgeHome, program: Program, event: string, onFault: (error: unknown) => void): void {
  try {
    recordHookRun(home.hookRuns, program.name, { at: new Date().toISOString(), version: packageVersion(), event });
  } catch (error) {
    onFault(error);
  }
}
