import { accessSync, constants } from "node:fs";
import { WakeshiftError, isOutOfSpace, whyUnwritable } from "@wakeshift/protocol";
import { makeFolder } from "./make-folder.ts";

/**
 * Makes Wakeshift's folder (0700) where it isn't there, or looks whether the one that is there can be written to.
 *
 * @throws WakeshiftError `bad_request` with the path, what is wrong with it and what to do. `storage_full`
 */
export function makeWritableFolder(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (isOutOfSpace(code))
      throw new WakeshiftError("storage_full", `There is no room to make ${path} (${code}). Make room, and it goes on by itself.`, {
        cause: error,
      });
    throw new WakeshiftError(
      "bad_request",
      `Wakeshift can't keep anything in its folder ${path}: ${whyUnwritable(code)}. Set WAKESHIFT_HOME to a folder that this user can write to.`,
      { cause: error },
    );
  }
}
