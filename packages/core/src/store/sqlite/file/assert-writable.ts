import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { WakeshiftError, isOutOfSpace, whyUnwritable } from "@wakeshift/protocol";
import { makeFolder } from "./make-folder.ts";

const FIX = "Choose another place with --data";

const FIXES: Readonly<Record<string, string>> = {
  EROFS: `${FIX}, or mount that one to be written to`,
  EACCES: `Give it to this user, start the core as the user it belongs to, or choose another place with --data`,
  EPERM: `${FIX}, or take the protection away`,
  ENOTDIR: `${FIX}, or move the file away`,
  EEXIST: `${FIX}, or move the file away`,
  EISDIR: `${FIX}, or move the folder away`,
  ENOENT: `${FIX}, or repair the link`,
  ELOOP: `${FIX}, or repair the links`,
};

/**
 * Makes the folder of a database and looks whether database and folder can be written to. SQLite would open what can't be
 * written for reading alone, and refuse each write later, as on a full disk.
 *
 * @throws WakeshiftError `bad_request` with the path, what is wrong with it and what to do. `storage_full`
 */
export function assertWritable(path: string): void {
  const folder = dirname(path);
  // What is there tells more than the attempt to make the rest below it.
  const there = nearest(folder);
  trying(there, () => {
    if (!statSync(there).isDirectory()) throw Object.assign(new Error("no folder"), { code: "ENOTDIR" });
    accessSync(there, constants.W_OK | constants.X_OK);
  });
  trying(folder, () => {
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  });
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    trying(file, () => {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined) return;
      if (found.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
      accessSync(file, constants.R_OK | constants.W_OK);
    });
  }
}

/** The folder, or what is there of the way to it. */
function nearest(path: string): string {
  try {
    lstatSync(path);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return (code === "ENOENT" || code === "ENOTDIR") && dirname(path) !== path ? nearest(dirname(path)) : path;
  }
}

function trying(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (isOutOfSpace(code))
      throw new WakeshiftError("storage_full", `There is no room to make ${path} (${code}). Make room, then start again.`, {
        cause: error,
      });
    const fix = FIXES[code] ?? FIX;
    throw new WakeshiftError("bad_request", `The core can't keep its data in ${path}: ${whyUnwritable(code)}. ${fix}.`, { cause: error });
  }
}
