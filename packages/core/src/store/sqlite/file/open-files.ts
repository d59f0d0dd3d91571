import { statSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";

/** The database, its write-ahead log, and the index that processes beside the core share with it. */
const ENDINGS = ["", "-wal", "-shm"];

interface OpenFile {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/**
 * The files of an open database, to be compared with what their paths lead to. If one is deleted or replaced, SQLite goes on
 * writing to the open one, with success, and all of that is lost once the process ends.
 */
export class OpenFiles {
  readonly #files: readonly OpenFile[];

  /** @param path - a database that was just opened and read, in WAL mode, so that all its files exist. */
  constructor(path: string) {
    this.#files = ENDINGS.map((ending) => {
      const { dev, ino } = statSync(`${path}${ending}`);
      return { path: `${path}${ending}`, device: dev, inode: ino };
    });
  }

  /**
   * Costs a few microseconds.
   *
   * @throws WakeshiftError `storage_gone`; its sentence is for whoever asked the core, its cause names the file for the log
   */
  assertInPlace(): void {
    for (const file of this.#files) {
      const found = look(file.path);
      if (typeof found === "string") throw gone(`${file.path} ${found}`);
      if (found.dev !== file.device || found.ino !== file.inode)
        throw gone(
          `${file.path} is another file than the one this core opened. Move that one back, or restart the core to use what is there now`,
        );
    }
  }
}

function look(path: string): { readonly dev: number; readonly ino: number } | string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ?? "was deleted or moved. Move it back, or restart the core to begin with what is there then, such as a backup";
  } catch (error) {
    return `can't be looked at any more (${(error as NodeJS.ErrnoException).code ?? "unknown"}). Make its folder accessible again, or restart the core`;
  }
}

function gone(why: string): WakeshiftError {
  return new WakeshiftError(
    "storage_gone",
    "The core's database file was deleted or replaced while the core ran. Nothing was stored. It goes on by itself if the file comes back; the core's log names it and says what to do.",
    { cause: new Error(`${why}.`) },
  );
}
