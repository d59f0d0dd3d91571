import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgramName } from "@wakeshift/protocol";
import { spawnDetached } from "../spawn-process.ts";
import { readLock } from "../files/process-lock.ts";
import type { BridgeHome } from "../home.ts";

/** Starts a watcher for this process of a program, unless it has one. */
export function startWatcher(home: BridgeHome, env: NodeJS.ProcessEnv, program: ProgramName, pid: number): void {
  // Parent 1 is what a hook has whose program ended meanwhile.
  if (pid <= 1 || readLock(watcherLock(home, program, pid)) !== undefined) return;
  const main = fileURLToPath(new URL("./watcher-main.js", import.meta.url));
  spawnDetached(home, env, [main, program, String(pid)]);
}

export function watcherLock(home: BridgeHome, program: string, pid: number): string {
  return join(home.watchers, `${program}-${String(pid)}`);
}
