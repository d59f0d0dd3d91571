import { closeSync, linkSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { isProcessAlive, processTag } from "@wakeshift/programs/machine";

/** Which process holds a lock file. */
export interface LockHolder {
  readonly pid: number;
  readonly tag?: string;
  /** Random: tells two holds of one process. */
  readonly hold: string;
}

/** A takeover lasts microseconds; one that lies there longer was left by a crash. */
const TAKEOVER_MS = 5_000;
/** What a file system without hard links answers. */
const HAS_NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * A file that one process holds at a time. A holder that has ended is replaced: under a second, short-lived file, so that
 * two starts at once end with one holder.
 */
export class ProcessLock {
  readonly #path: string;
  readonly #hold: string;

  private constructor(path: string, hold: string) {
    this.#path = path;
    this.#hold = hold;
  }

  /** `undefined`: another living process holds it, or is just taking it. */
  static acquire(path: string): ProcessLock | undefined {
    const hold = randomBytes(12).toString("hex");
    if (writeHold(path, hold)) return new ProcessLock(path, hold);
    if (readLock(path) !== undefined) return undefined;
    const takeover = `${path}.takeover`;
    if (!writeHold(takeover, hold)) {
      if (ageOf(takeover) > TAKEOVER_MS) rmSync(takeover, { force: true });
      return undefined;
    }
    try {
      // Looked at again: another may have taken it over between the first look and now.
      if (readLock(path) !== undefined) return undefined;
      rmSync(path, { force: true });
      return writeHold(path, hold) ? new ProcessLock(path, hold) : undefined;
    } finally {
      rmSync(takeover, { force: true });
    }
  }

  /** Whether the file still says so. It doesn't when somebody removed it, or the folder it lies in. */
  isHeld(): boolean {
    return readHold(this.#path)?.hold === this.#hold;
  }

  release(): void {
    if (this.isHeld()) rmSync(this.#path, { force: true });
  }
}

/** The living process that holds the lock. */
export function readLock(path: string): LockHolder | undefined {
  const holder = readHold(path);
  return holder !== undefined && isProcessAlive(holder.pid, holder.tag) ? holder : undefined;
}

function writeHold(path: string, hold: string): boolean {
  const tag = processTag(process.pid);
  const holder: LockHolder = { pid: process.pid, hold, ...(tag === undefined ? {} : { tag }) };
  // Written aside and linked, so that it has its holder from its first moment: an empty file looks like one a crash left,
  // and another start would take it over.
  const aside = `${path}.${hold}`;
  try {
    writeNew(aside, JSON.stringify(holder));
    linkSync(aside, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!HAS_NO_LINKS.has(code ?? "")) throw error;
    return writeNew(path, JSON.stringify(holder));
  } finally {
    rmSync(aside, { force: true });
  }
}

/** @returns false: there is such a file already. */
function writeNew(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    // Not writeSync: on a disk that is nearly full that one writes a part and says so only in its answer.
    writeFileSync(file, text);
  } catch (error) {
    // Half a holder is none, and would be in everybody's way.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

function readHold(path: string): LockHolder | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder> | null;
    if (typeof value?.pid !== "number" || typeof value.hold !== "string") return undefined;
    return { pid: value.pid, hold: value.hold, ...(typeof value.tag === "string" ? { tag: value.tag } : {}) };
  } catch {
    return undefined;
  }
}

function ageOf(path: string): number {
  try {
    return Math.abs(Date.now() - statSync(path).mtimeMs);
  } catch {
    return 0;
  }
}
