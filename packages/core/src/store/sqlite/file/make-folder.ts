import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder (0700) and those on the way to it. Node's own recursive way never comes back where a file system takes no new
 * folders and says ENOENT for it, as /proc does.
 *
 * @throws the system's error; `ENOTSUP` there
 */
export function makeFolder(path: string): void {
  // Some systems refuse to make what is there with another code than EEXIST.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process may make it in the same moment.
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT") throw error;
    if (existsSync(dirname(path))) throw Object.assign(new Error(`no folder can be made in ${dirname(path)}`), { code: "ENOTSUP" });
    makeFolder(dirname(path));
    makeFolder(path);
  }
}
