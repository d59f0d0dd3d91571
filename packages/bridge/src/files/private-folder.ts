import { chmodSync, lstatSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import { makeWritableFolder } from "./writable-folder.ts";

/**
 * Makes a folder that only this user can enter (0700), or checks the one that is there.
 *
 * @throws WakeshiftError `internal` where the path is no folder, a link, or another user's: somebody may have put it there; `bad_request`
 * where it can't be written to.
 */
export function makePrivateFolder(path: string, mayBeLink = true): void {
  makeWritableFolder(path);
  if (process.platform === "win32") return;
  const found = lstatSync(path);
  if (found.isSymbolicLink()) {
    if (mayBeLink) return;
    throw new WakeshiftError("internal", `${path} is a symbolic link. Wakeshift wants a folder of its own there: remove the link.`, {
      retryable: false,
    });
  }
  if (!found.isDirectory()) throw new WakeshiftError("internal", `${path} is not a folder. Move it away.`, { retryable: false });
  if (found.uid !== process.getuid?.()) {
    throw new WakeshiftError(
      "internal",
      `${path} belongs to another user (uid ${found.uid}). Set WAKESHIFT_HOME to a folder of your own.`,
      { retryable: false },
    );
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}
