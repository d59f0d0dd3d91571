import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { shownCommand } from "@wakeshift/protocol";
import type { Check, SettingsContext } from "@wakeshift/programs/setup";

const MOST_NAMED = 5;

/** Files that set-up or the bridge needs and that belong to somebody else, as after a set-up with `sudo`. */
export function checkOwners(
  { wakeshiftHome, userHome }: SettingsContext,
  settings: readonly string[],
  uid: number | undefined = process.getuid?.(),
): readonly Check[] {
  if (uid === undefined || uid === 0) return [];
  const own = [wakeshiftHome, ...namesIn(wakeshiftHome), ...namesIn(join(wakeshiftHome, "bin")), ...settings];
  const foreign = [...new Set(own)].filter((path) => isForeign(path, uid));
  if (foreign.length === 0) return [];
  const named = foreign.slice(0, MOST_NAMED).join(", ");
  const more = foreign.length > MOST_NAMED ? ` and ${String(foreign.length - MOST_NAMED)} more` : "";
  const targets = [...new Set(foreign.map((path) => (path.startsWith(wakeshiftHome) ? wakeshiftHome : path)))];
  const detail = `${named}${more} belong to another user, though they are in ${userHome}: a set-up with sudo leaves them so`;
  return [{ program: "files", check: "owner", ok: false, detail, fix: shownCommand(["sudo", "chown", "-R", String(uid)], targets) }];
}

function isForeign(path: string, uid: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.uid !== uid;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
