import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@wakeshift/protocol";
import type { FileChange } from "@wakeshift/programs/setup";
import { replaceUserFile } from "@wakeshift/programs/machine";

/** A change that set-up made. */
export interface AppliedChange extends FileChange {
  /** The topmost folder that was made for the file. Absent: its folder was there. */
  readonly madeFolder?: string;
  /** When it was made, ISO 8601. Absent in what an earlier version noted. */
  readonly at?: string;
}

type Applied = Readonly<Record<string, readonly AppliedChange[]>>;

const fileOf = (wakeshiftHome: string): string => join(wakeshiftHome, "setup.json");

function read(wakeshiftHome: string): Applied {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(wakeshiftHome), "utf8"));
    return isRecord(value) ? (value as Applied) : {};
  } catch {
    return {};
  }
}

/** What the last set-up of a program changed on this machine, so that `--remove` gives back the earlier bytes. */
export function readApplied(wakeshiftHome: string, program: string): readonly AppliedChange[] {
  const changes: unknown = read(wakeshiftHome)[program];
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

/** When set-up last changed a file of this program, in milliseconds; `undefined` if that isn't known. */
export function setUpAt(wakeshiftHome: string, program: string): number | undefined {
  const times = readApplied(wakeshiftHome, program).flatMap(({ at }) => (at === undefined ? [] : Date.parse(at)));
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Remembers what was changed. A file that still held what an earlier set-up wrote keeps that one's `before`: removal goes
 * back to what stood there before Wakeshift. One the user edited in between keeps the edited bytes: they are the user's.
 */
export function rememberApplied(wakeshiftHome: string, program: string, changes: readonly AppliedChange[]): void {
  const all = read(wakeshiftHome);
  const earlier = new Map(readApplied(wakeshiftHome, program).map((change) => [change.path, change]));
  for (const change of changes) {
    const first = earlier.get(change.path);
    const untouched = first !== undefined && first.after === change.before;
    const madeFolder = change.madeFolder ?? first?.madeFolder;
    earlier.set(change.path, {
      ...change,
      ...(untouched ? { before: first.before } : {}),
      ...(madeFolder === undefined ? {} : { madeFolder }),
    });
  }
  write(wakeshiftHome, { ...all, [program]: [...earlier.values()] });
}

/** Forgets a program after its removal. */
export function forgetApplied(wakeshiftHome: string, program: string): void {
  const rest = Object.entries(read(wakeshiftHome)).filter(([name]) => name !== program);
  write(wakeshiftHome, Object.fromEntries(rest));
}

function write(wakeshiftHome: string, applied: Applied): void {
  replaceUserFile(fileOf(wakeshiftHome), `${JSON.stringify(applied, null, 2)}\n`);
}

function isChange(value: unknown): value is AppliedChange {
  if (typeof value !== "object" || value === null) return false;
  const { path, before, after, madeFolder, at } = value as Readonly<Record<keyof AppliedChange, unknown>>;
  const isText = (text: unknown): boolean => text === undefined || typeof text === "string";
  return typeof path === "string" && isText(before) && isText(after) && isText(madeFolder) && isText(at);
}
