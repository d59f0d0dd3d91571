import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { BridgeClient } from "../client/bridge-client.ts";
import { ProcessLock, readLock } from "../files/process-lock.ts";
import type { BridgeHome } from "../home.ts";
import { isAnyLive } from "../state/live-markers.ts";
import { watcherLock } from "./start-watcher.ts";
import { watchProcess } from "./watch-process.ts";

const LOOK_MS = 2_000;
const ANSWER_MS = 10_000;

/**
 * Starts the bridge again whenever both of its processes are gone: each of the two restarts the other, but nobody restarts both
 * before a hook runs, and an idle program runs none. Returns once the watched process has ended or nothing of the program is
 * subscribed, and at once if that process has a watcher already.
 */
export async function watchBridge(home: BridgeHome, env: NodeJS.ProcessEnv, program: string, pid: number): Promise<void> {
  mkdirSync(home.watchers, { recursive: true, mode: 0o700 });
  removeLeft(home.watchers);
  const lock = ProcessLock.acquire(watcherLock(home, program, pid));
  if (lock === undefined) return;
  const gone = new AbortController();
  const stopWatching = watchProcess(pid, () => gone.abort());
  const client = new BridgeClient({ home, env });
  while (!gone.signal.aborted && lock.isHeld() && isAnyLive(home.live, program)) {
    if (readLock(home.supervisorLock) === undefined && readLock(home.workerLock) === undefined) {
      // One that can't be started now is tried again at the next look.
      await client.askStarting({ method: "GET", path: "/v1/status", timeoutMs: ANSWER_MS, signal: gone.signal }).catch(() => undefined);
    }
    await pause(LOOK_MS, undefined, { signal: gone.signal }).catch(() => undefined);
  }
  stopWatching();
  lock.release();
}

/** Locks of watchers that were killed: nobody would ever take them over. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (readLock(path) === undefined) rmSync(path, { force: true });
  }
}
