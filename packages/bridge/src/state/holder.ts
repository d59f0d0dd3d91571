import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { keepAside } from "../files/json-file.ts";
import { replaceFileNow } from "@wakeshift/programs/machine";

const FORM = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret of this bridge, made once. Each core is shown another value derived from it, so that no core learns what
 * this bridge shows to the others.
 */
export class Holder {
  /** Kept a second time with the tickets that are bound to it: with another one, all of them would be worthless. */
  readonly secret: string;

  /**
   * @param copy - what is kept with the tickets; it counts if the file is gone or can't be used
   * @param onAside - a file that can't be used is called this now
   */
  constructor(path: string, copy: string | undefined, onAside: (path: string, keptAs: string) => void) {
    const found = read(path);
    const isSound = found !== undefined && FORM.test(found);
    this.secret = isSound ? found : copy !== undefined && FORM.test(copy) ? copy : randomBytes(32).toString("base64url");
    if (isSound && process.platform !== "win32") chmodSync(path, 0o600);
    if (isSound) return;
    if (found !== undefined) onAside(path, keepAside(path));
    replaceFileNow(path, `${this.secret}\n`);
  }

  /** What this core is shown as `holder`. */
  forCore(base: string): string {
    return createHmac("sha256", this.secret).update(base).digest("base64url");
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
