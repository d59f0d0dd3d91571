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
  return locks === undefined || holderOf(locks, lock.ino) !== undefined ? "open" : "closed";
}

/**
 * Whether the process that has a thread loaded is a `codex exec` run, told by its command line even before its first turn has
 * left a trace. `undefined` where the system doesn't tell.
 */
export function isHeldByExec(codexHome: string, thread: string): boolean | undefined {
  if (!/^[A-Za-z0-9-]+$/.test(thread)) return undefined;
  const lock = statSync(join(codexHome, "thread-writer-locks", `${thread}.lock`), { throwIfNoEntry: false });
  const pid = lock === undefined ? undefined : holderOf(kernelLocks() ?? "", lock.ino);
  if (pid === undefined) return undefined;
  try {
    return isExecCommandLine(readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").split("\0"));
  } catch {
    return undefined;
  }
}

/** Whether these arguments start a `codex exec` run (`e` is Codex's short form). */
export function isExecCommandLine(args: readonly string[]): boolean {
  return args.slice(1).some((arg) => arg === "exec" || arg === "e");
}

/** The process that holds a file with this inode, by a line of Linux's lock table: `1: FLOCK ADVISORY WRITE 42 fe:00:9994417 0 EOF`. */
export function holderOf(table: string, inode: number): number | undefined {
  for (const line of table.split("\n")) {
    const [, pid, held] = / (?:FLOCK|POSIX|OFDLCK) +\w+ +\w+ +(-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
    if (held === String(inode)) return Number(pid);
  }
  return undefined;
}

function kernelLocks(): string | undefined {
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch {
    return undefined;
  }
}
