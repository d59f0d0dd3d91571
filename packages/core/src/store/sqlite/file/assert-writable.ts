import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { WakeshiftError, isOutOfSpace, whyUnwritable } from "@wakeshift/protocol";

const MEND = "Choose another place with --data";

const MENDS: Readonly<Record<string, string>> = {
  EROFS: `${MEND}, or mount that one to be written to`,
  EACCES: `Give it to this user, start the core as the user it belongs to, or choose another place with --data`,
  EPERM: `${MEND}, or take the protection away`,
  ENOTDIR: `${MEND}, or move the file away`,
  EEXIST: `${MEND}, or move the file away`,
  EISDIR: `${MEND}, or move the folder away`,
  ENOENT: `${MEND}, or mend the link`,
  ELOOP: `${MEND}, or mend the links`,
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
    mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    const mend = MENDS[code] ?? MEND;
    throw new WakeshiftError("bad_request", `The core can't keep its data in ${path}: ${whyUnwritable(code)}. ${mend}.`, { cause: error });
  }
}
