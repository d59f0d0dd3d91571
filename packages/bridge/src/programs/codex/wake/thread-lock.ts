import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Whether a thread is loaded in some Codex process. `unknown`: this Codex keeps no locks to tell it by. */
export type ThreadState = "open" | "closed" | "unknown";

/**
 * A Codex process that has a thread loaded holds `$CODEX_HOME/thread-writer-locks/THREAD.lock`, and removes it when it
 * lets go. A process that was killed leaves the file behind, unlocked: Linux tells the two apart, elsewhere such a
 * thread counts as open (Codex keeps a queued message until the thread is loaded again, so nothing is lost).
 */
export function threadState(codexHome: string, thread: string): ThreadState {
  if (!/^[A-Za-z0-9-]+$/.test(thread)) return "closed";
  const folder = join(codexHome, "thread-writer-locks");
  if (!existsSync(folder)) return "unknown";
  const lock = statSync(join(folder, `${thread}.lock`), { throwIfNoEntry: false });
  if (lock === undefined) return "closed";
  const locks = kernelLocks();
  return locks === undefined || holdsInode(locks, lock.ino) ? "open" : "closed";
}

/** Whether a line of Linux's lock table holds a file with this inode: `1: FLOCK ADVISORY WRITE 42 fe:00:9994417 0 EOF`. */
export function holdsInode(table: string, inode: number): boolean {
  return table.split("\n").some((line) => / (?:FLOCK|POSIX|OFDLCK) /.test(line) && line.includes(`:${String(inode)} `));
}

function kernelLocks(): string | undefined {
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch {
    return undefined;
  }
}
