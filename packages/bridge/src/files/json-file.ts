import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { isProcessAlive, temporaryName } from "@wakeshift/programs/machine";

/** What was found in a state file. `corrupt`: it was no JSON and now lies at `keptAs`. */
export type ReadJson =
  { readonly kind: "value"; readonly value: unknown } | { readonly kind: "absent" } | { readonly kind: "corrupt"; readonly keptAs: string };

/** Reads a state file. One that isn't JSON is kept aside under another name, so that nothing overwrites it. */
export function readJsonFile(path: string): ReadJson {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    throw error;
  }
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    return { kind: "corrupt", keptAs: keepAside(path) };
  }
}

/** Renames a file that can't be used, and says what it is called now. */
export function keepAside(path: string): string {
  const keptAs = `${path}.corrupt-${randomBytes(4).toString("hex")}`;
  renameSync(path, keptAs);
  return keptAs;
}

/** The files of a folder that were set aside, and that nobody has dealt with. */
export function filesSetAside(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /\.corrupt-[0-9a-f]{8}$/.test(name))
    .map((name) => join(folder, name));
}

const TEMPORARY = /\.(\d+)\.[0-9a-f]{8}\.tmp$/;

/** Removes what processes that were killed while they replaced a file left in a folder: it may hold tickets. */
export function removeLeftTemporaries(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = Number(TEMPORARY.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isProcessAlive(pid, undefined)) rmSync(join(folder, name), { force: true });
  }
}

/** Replaces a file whole: readers see the old or the new bytes, and the new ones are on disk when this resolves. Mode 0600. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder to sync it; there the rename itself is journalled.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
