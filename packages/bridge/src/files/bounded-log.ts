import { appendFileSync, renameSync, statSync } from "node:fs";
import { escapeHidden, redactSecrets } from "@wakeshift/protocol";

/**
 * Appends lines to a file that never grows above twice `maxBytes`: a full one becomes `.1`, replacing the one before.
 * Secrets are removed from every line, and terminal control characters are written as escapes. If the log can't be written, everything else goes on.
 */
export class BoundedLog {
  readonly #path: string;
  readonly #maxBytes: number;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  write(line: string): void {
    try {
      const text = escapeHidden(redactSecrets(line.endsWith("\n") ? line : `${line}\n`));
      if (this.#size() + text.length > this.#maxBytes) renameSync(this.#path, `${this.#path}.1`);
      appendFileSync(this.#path, text, { mode: 0o600 });
    } catch {
      // Nowhere left to say it.
    }
  }

  #size(): number {
    try {
      return statSync(this.#path).size;
    } catch {
      return 0;
    }
  }
}
