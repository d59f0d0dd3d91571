import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { replaceFileNow } from "../files/json-file.ts";

const FORM = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret of this bridge, made once. Each core is shown another value derived from it, so that no core learns what
 * this bridge shows to the others.
 */
export class Holder {
  readonly #secret: string;

  constructor(path: string) {
    this.#secret = readOrMake(path);
  }

  /** What this core is shown as `holder`. */
  forCore(base: string): string {
    return createHmac("sha256", this.#secret).update(base).digest("base64url");
  }
}

function readOrMake(path: string): string {
  try {
    const found = readFileSync(path, "utf8").trim();
    if (FORM.test(found)) {
      if (process.platform !== "win32") chmodSync(path, 0o600);
      return found;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = randomBytes(32).toString("base64url");
  replaceFileNow(path, `${made}\n`);
  return made;
}
