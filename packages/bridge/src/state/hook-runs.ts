import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProgramName } from "@wakeshift/protocol";

/** The last time a program ran a hook of ours: what `doctor` takes as proof that its hooks work. */
export interface HookRun {
  /** ISO 8601. */
  readonly at: string;
  /** The version of Wakeshift that ran. */
  readonly version: string;
  /** The program's name for what happened. */
  readonly event: string;
}

/**
 * Records a run. The record is replaced in one step but not synced: after a power failure an older one is as good.
 *
 * @throws the file system's error; the hook goes on without the record.
 */
export function recordHookRun(folder: string, program: ProgramName, run: HookRun): void {
  // A home that nobody set up isn't made by a hook.
  if (!existsSync(dirname(folder))) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${program}.${String(process.pid)}.tmp`);
  try {
    writeFileSync(temporary, `${JSON.stringify(run)}\n`, { mode: 0o600 });
    renameSync(temporary, pathOf(folder, program));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The last recorded run, `undefined` if there is none that can be read. */
export function readHookRun(folder: string, program: ProgramName): HookRun | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(folder, program), "utf8"));
    return isHookRun(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(folder: string, program: ProgramName): string {
  return join(folder, `${program}.json`);
}

function isHookRun(value: unknown): value is HookRun {
  if (typeof value !== "object" || value === null) return false;
  const { at, version, event } = value as Readonly<Record<string, unknown>>;
  return typeof at === "string" && !Number.isNaN(Date.parse(at)) && typeof version === "string" && typeof event === "string";
}
