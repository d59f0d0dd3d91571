import { statSync } from "node:fs";
import { dirname } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";

/**
 * Refuses to write as root into another user's folders: root's files would shut that user out of their own settings, and their
 * program and the bridge would fail.
 *
 * @throws WakeshiftError `bad_request`
 */
export function assertOwnHome(folders: readonly string[], uid: number | undefined = process.getuid?.()): void {
  if (uid !== 0) return;
  for (const folder of folders) {
    const owner = ownerOf(folder);
    if (owner === 0) continue;
    throw new WakeshiftError(
      "bad_request",
      `This runs as root, but ${folder} belongs to another user (uid ${String(owner)}), who couldn't use root's files. Nothing was changed. Run it as that user, without sudo.`,
    );
  }
}

/** The owner of a path, or of the nearest folder above it that is there. */
function ownerOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) return found.uid;
  return dirname(path) === path ? 0 : ownerOf(dirname(path));
}
