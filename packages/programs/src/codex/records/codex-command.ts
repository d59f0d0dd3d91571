import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { ConversationState } from "../../program/program.ts";

/** How to call the Codex that a conversation belongs to. */
export interface CodexCommand {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

/** `$CODEX_HOME`, else Codex's own default. */
export function codexHome(env: NodeJS.ProcessEnv): string {
  const set = env["CODEX_HOME"];
  return set !== undefined && set !== "" ? set : join(env["HOME"] ?? env["USERPROFILE"] ?? "", ".codex");
}

/** The first `codex` on a `PATH`, or `undefined`. */
export function findCodex(path: string, platform: NodeJS.Platform): string | undefined {
  const names = platform === "win32" ? ["codex.exe", "codex.cmd"] : ["codex"];
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const found = names.map((name) => join(folder, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The conversation's own Codex: its `PATH` first, since the bridge may have been started by another program. */
export function codexOf(state: ConversationState, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): CodexCommand | undefined {
  const path = [state.facts["path"] ?? "", env["PATH"] ?? ""].filter(Boolean).join(delimiter);
  const command = findCodex(path, platform);
  const home = state.facts["codex_home"] ?? codexHome(env);
  return command === undefined ? undefined : { command, home, env: { ...env, PATH: path, CODEX_HOME: home } };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
