import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A name beside the file for its next bytes. It ends in the process's id and `.tmp`, so that what a killed process left is known. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
}

/**
 * Replaces a file whole: readers see the old or the new bytes, and the new ones are on disk when this returns. For a process that has
 * nothing else to do meanwhile.
 */
export function replaceFileNow(path: string, text: string, mode = 0o600): void {
  const temporary = temporaryName(path);
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      // Not writeSync: on a disk that is nearly full that one writes a part and says so only in its answer.
      writeFileSync(file, text);
      if (mode !== 0o600) fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolderNow(dirname(path));
}

function syncFolderNow(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
