import { readFileSync } from "node:fs";

let bootId: string | undefined;

/**
 * What tells a process from a later one with the same id: boot id and start time. `undefined` where the system doesn't
 * show it (macOS, Windows); there the id alone has to do.
 */
export function processTag(pid: number): string | undefined {
  try {
    bootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const fields = afterName(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return `${bootId}:${fields[19] ?? ""}`;
  } catch {
    return undefined;
  }
}

/** Whether that very process runs. A process that has ended but isn't reaped doesn't. */
export function isProcessAlive(pid: number, tag?: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (isZombie(pid)) return false;
  if (tag === undefined) return true;
  const now = processTag(pid);
  return now === undefined || now === tag;
}

function isZombie(pid: number): boolean {
  try {
    return afterName(readFileSync(`/proc/${pid}/stat`, "utf8"))[0] === "Z";
  } catch {
    return false;
  }
}

/** The fields after the command's name, which may itself hold spaces and brackets. The first is the state. */
function afterName(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
