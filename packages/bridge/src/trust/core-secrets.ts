import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { coreProofText } from "@wakeshift/protocol";
import type { HelloRequest } from "@wakeshift/protocol";
import { replaceFileNow } from "@wakeshift/programs/machine";

const MAX_SECRETS = 100;
/** Read instead of a file that can't be used: no listener knows it, so nothing is sent until a core is noted again. */
const UNUSABLE = "";

/**
 * The secrets of the cores that were started on this machine, by origin, in a file of mode 0600. It isn't part of the file that
 * lists those cores, since an older version that notes a core would drop them.
 */
export class CoreSecrets {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** `undefined`: no core with a secret was noted at this origin, as none is by an older version. */
  find(origin: string): string | undefined {
    try {
      return this.#read().get(origin);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : UNUSABLE;
    }
  }

  /** Notes one that takes the place of an earlier one. */
  note(origin: string, secret: string): void {
    const kept = this.#readOrNone();
    kept.delete(origin);
    this.#write([...kept, [origin, secret]]);
  }

  forget(origin: string): void {
    const kept = this.#readOrNone();
    if (kept.delete(origin)) this.#write([...kept]);
  }

  #write(secrets: readonly (readonly [string, string])[]): void {
    if (secrets.length === 0) rmSync(this.#path, { force: true });
    else replaceFileNow(this.#path, JSON.stringify({ v: 1, secrets: secrets.slice(-MAX_SECRETS) }));
  }

  #readOrNone(): Map<string, string> {
    try {
      return this.#read();
    } catch {
      return new Map();
    }
  }

  #read(): Map<string, string> {
    const { secrets } = JSON.parse(readFileSync(this.#path, "utf8")) as { readonly secrets: readonly (readonly [unknown, unknown])[] };
    return new Map(secrets.map(([origin, secret]) => [String(origin), String(secret)]));
  }
}

/** Whether a core's answer proves that it knows the secret. Compared in constant time. */
export function isCoreProof(secret: string, request: HelloRequest, coreId: string, proof: string | undefined): boolean {
  if (secret === UNUSABLE || proof === undefined) return false;
  const expected = createHmac("sha256", secret).update(coreProofText(request, coreId)).digest();
  const shown = Buffer.from(proof, "base64url");
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
