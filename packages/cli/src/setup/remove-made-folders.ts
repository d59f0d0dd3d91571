import { rmdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { AppliedChange } from "./applied.ts";

/** Removes the folders that set-up made for its files and that are empty now; gives those it removed, topmost last. */
export function removeMadeFolders(applied: readonly AppliedChange[]): readonly string[] {
  return applied.flatMap(({ path, madeFolder }) => (madeFolder === undefined ? [] : removeUpTo(dirname(path), madeFolder)));
}

function removeUpTo(folder: string, top: string): readonly string[] {
  // What isn't at or below the folder that was made was there before.
  if (relative(top, folder).startsWith("..")) return [];
  try {
    rmdirSync(folder);
  } catch {
    return []; // Something else lives there by now, or it is gone: both are well.
  }
  return [folder, ...(folder === top ? [] : removeUpTo(dirname(folder), top))];
}
