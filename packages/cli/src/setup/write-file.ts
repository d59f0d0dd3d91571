import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces a file's bytes in one step, keeping its mode and following a link to the real file. New ones are 0600. */
export function writeFileAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const target = resolveLink(path);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600;
  const temporary = `${target}.wakeshift-${String(process.pid)}`;
  try {
    const file = openSync(temporary, "wx", mode & 0o777);
    try {
      // Not writeSync: on a disk that is nearly full that one writes a part and says so only in its answer.
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

// A settings file is often a link into a dotfiles checkout: replacing the link itself would cut it off.
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
