import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileChange } from "@wakeshift/bridge";
import { writeFileAtomically } from "./write-file.ts";

type Applied = Readonly<Record<string, readonly FileChange[]>>;

const fileOf = (wakeshiftHome: string): string => join(wakeshiftHome, "setup.json");

function read(wakeshiftHome: string): Applied {
  try {
    return JSON.parse(readFileSync(fileOf(wakeshiftHome), "utf8")) as Applied;
  } catch {
    return {};
  }
}

/** What the last set-up of a program changed on this machine, so that `--remove` gives back the earlier bytes. */
export function readApplied(wakeshiftHome: string, program: string): readonly FileChange[] {
  return read(wakeshiftHome)[program] ?? [];
}

/**
 * Remembers what was changed. A file that was changed before keeps its first `before`: removal goes back to what stood
 * there before Wakeshift, not to an earlier set-up of ours.
 */
export function rememberApplied(wakeshiftHome: string, program: string, changes: readonly FileChange[]): void {
  const all = read(wakeshiftHome);
  const earlier = new Map((all[program] ?? []).map((change) => [change.path, change]));
  for (const change of changes) {
    const first = earlier.get(change.path);
    earlier.set(change.path, { ...change, before: first === undefined ? change.before : first.before });
  }
  write(wakeshiftHome, { ...all, [program]: [...earlier.values()] });
}

/** Forgets a program after its removal. */
export function forgetApplied(wakeshiftHome: string, program: string): void {
  const rest = Object.entries(read(wakeshiftHome)).filter(([name]) => name !== program);
  write(wakeshiftHome, Object.fromEntries(rest));
}

function write(wakeshiftHome: string, applied: Applied): void {
  writeFileAtomically(fileOf(wakeshiftHome), `${JSON.stringify(applied, null, 2)}\n`);
}
