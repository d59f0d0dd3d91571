import { redactSecrets } from "@wakeshift/protocol";
import type { LogEntry, Logger } from "./logger.ts";

const REMEMBERED = 10_000;

/** Hands entries to the author's logger, which can't break a call or the process by failing, and tells some things only once. */
export class LogBook {
  readonly #logger: Logger;
  readonly #told: Set<string> = new Set();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(entry: LogEntry): void {
    void this.#hand({ ...entry, message: redactSecrets(entry.message) });
  }

  /** Tells it unless the same code was told about the same subject before. */
  tellOnce(subject: string, entry: LogEntry): void {
    const key = `${entry.code}\n${subject}`;
    if (this.#told.has(key)) return;
    if (this.#told.size >= REMEMBERED) this.#told.clear();
    this.#told.add(key);
    this.tell(entry);
  }

  async #hand(entry: LogEntry): Promise<void> {
    // Its type says that it returns nothing; an async function fits that type too.
    const logger: (entry: LogEntry) => unknown = this.#logger;
    try {
      await logger(entry);
    } catch {
      // A logger that throws or rejects is the author's to notice; a tool call must not fail for it.
    }
  }
}
