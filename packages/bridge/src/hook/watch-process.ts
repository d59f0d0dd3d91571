import { isProcessAlive, processTag } from "@wakeshift/programs/machine";

const LOOK_MS = 500;

/**
 * Fires when the program is gone, so that a waiter never outlives it. Without a process id it is the hook's parent that
 * counts.
 *
 * @returns stops watching.
 */
export function watchProcess(pid: number | undefined, onGone: () => void): () => void {
  const parent = process.ppid;
  const tag = pid === undefined ? undefined : processTag(pid);
  const timer = setInterval(() => {
    const gone = pid === undefined ? process.ppid !== parent : !isProcessAlive(pid, tag);
    if (gone) onGone();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
