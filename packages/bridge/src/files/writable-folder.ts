import { accessSync, constants, mkdirSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";

const REASONS: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only",
  EACCES: "this user may not write there",
  EPERM: "it is protected from changes",
  ENOTDIR: "a file stands where a folder is needed",
  EEXIST: "a file stands where a folder is needed",
  ENOENT: "a folder on the way to it can't be made",
  ELOOP: "links on the way to it lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

/**
 * Makes Wakeshift's folder (0700) where it isn't there, or looks whether the one that is there can be written to.
 *
 * @throws WakeshiftError `bad_request` with the path, what is wrong with it and what to do. `storage_full`
 */
export function makeWritableFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new WakeshiftError("storage_full", `There is no room to make ${path} (${code}). Make room, and it goes on by itself.`, {
        cause: error,
      });
    throw new WakeshiftError(
      "bad_request",
      `Wakeshift can't keep anything in its folder ${path}: ${REASONS[code] ?? code}. Set WAKESHIFT_HOME to a folder that this user can write to.`,
      { cause: error },
    );
  }
}
