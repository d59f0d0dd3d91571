import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";
import { replaceFileNow } from "./replace-file.ts";

/**
 * Replaces a user's file in one step, keeping its mode and following a link to the real file. New ones are 0600.
 *
 * @returns the topmost folder that had to be made for it, `undefined` where its folder was there
 * @throws WakeshiftError `bad_request` where this user may not write there, or nobody may; the file is as it was.
 */
export function replaceUserFile(path: string, text: string): string | undefined {
  const target = resolveLink(path);
  try {
    const mode = (statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    const madeFolder = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFileNow(target, text, mode);
    return madeFolder;
  } catch (error) {
    throw refusalOf(error, path, target) ?? error;
  }
}

/** Settings that something else keeps (a package of the system, a read-only checkout) are changed there, by hand. */
function refusalOf(error: unknown, path: string, target: string): WakeshiftError | undefined {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (!["EACCES", "EPERM", "EROFS"].includes(code)) return undefined;
  const where = target === path ? path : `${path} (a link to ${target})`;
  return new WakeshiftError(
    "bad_request",
    `${where} can't be written by this user (${code}), so it is as it was. Make its folder writable, or make the change that was shown by hand.`,
    { cause: error },
  );
}

// A settings file is often a link into a dotfiles checkout: replacing the link itself would cut it off.
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
