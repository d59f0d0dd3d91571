import { chmodSync, lstatSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import { makeWritableFolder } from "./writable-folder.ts";

/**
 * Makes a folder that only this user can enter (0700), or checks the one that is there and takes others' rights to it away.
 *
 * @param mayBeLink - false for a folder in a place that every user may write to
 * @throws WakeshiftError as {@link assertOwnFolder}; `bad_request` if it can't be written to
 */
export function makePrivateFolder(path: string, mayBeLink = true): void {
  assertOwnFolder(path, mayBeLink);
  makeWritableFolder(path);
  const found = assertOwnFolder(path, mayBeLink);
  if (found !== undefined && (found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/**
 * Checks that a folder, and the link that leads to it, belong to this user: another user may have put it there to receive tickets and
 * to speak for the bridge. Returns `undefined` if the folder doesn't exist, and on Windows, whose folders have no owner to compare.
 *
 * @throws WakeshiftError `internal` if the path isn't a folder, is a link though it may not be one, or is another user's
 */
export function assertOwnFolder(path: string, mayBeLink = true): Stats | undefined {
  if (process.platform === "win32") return undefined;
  const here = statsOf(lstatSync, path);
  if (here === undefined) return undefined;
  if (here.isSymbolicLink()) {
    if (!mayBeLink) throw refusal(`${path} is a symbolic link. Wakeshift wants a folder of its own there: remove the link.`);
    // A link by root, such as that from /tmp on macOS, is the system's.
    if (here.uid !== 0) assertOwner(path, here);
  }
  const found = here.isSymbolicLink() ? statsOf(statSync, path) : here;
  if (found === undefined) return undefined;
  if (!found.isDirectory()) throw refusal(`${path} is not a folder. Move it away.`);
  assertOwner(path, found);
  return found;
}

function assertOwner(path: string, { uid }: Stats): void {
  if (uid === process.getuid?.()) return;
  throw refusal(`${path} belongs to another user (uid ${uid}). Set WAKESHIFT_HOME to a folder of your own, with a short path.`);
}

function refusal(sentence: string): WakeshiftError {
  return new WakeshiftError("internal", sentence, { retryable: false });
}

/** What can't be looked at can't be used either: that is said by who uses it. */
export function statsOf(stat: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}
