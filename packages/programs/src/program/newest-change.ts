import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** When the newest file below a folder whose name `wanted` picks was last written, in milliseconds of the wall clock; `undefined` if there is none. */
export function newestChange(folder: string, wanted: (name: string) => boolean): number | undefined {
  let newest: number | undefined;
  for (const name of namesBelow(folder)) {
    if (!wanted(name)) continue;
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
    if (changed !== undefined && changed > (newest ?? 0)) newest = changed;
  }
  return newest;
}

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}
