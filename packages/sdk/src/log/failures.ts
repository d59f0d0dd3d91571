import { WakeshiftError } from "@wakeshift/protocol";
import { errorNameOf } from "./error-name.ts";
import type { LogBook } from "./log-book.ts";

/** What of the SDK an author may ask for without awaiting it. */
export interface Asked {
  readonly request: "emit" | "end" | "forgetUser";
  /** The event emitted, where one is. */
  readonly event?: string;
}

/**
 * Requests an author may leave unawaited: one that fails then must neither end the process, as Node does with a rejection nobody
 * handles, nor be lost in silence.
 */
export class Failures {
  readonly #log: LogBook;
  /** What failed last time it was asked for. */
  readonly #failing: Set<string> = new Set();

  constructor(log: LogBook) {
    this.#log = log;
  }

  /** Answers the same promise. Its rejection counts as handled and is logged, once until the same succeeds again. */
  watch<T>(asked: Asked, promise: Promise<T>): Promise<T> {
    const subject = asked.event === undefined ? asked.request : `${asked.request} of ${asked.event}`;
    promise.then(
      () => this.#failing.delete(subject),
      (error: unknown) => this.#failed(subject, asked, error),
    );
    return promise;
  }

  #failed(subject: string, asked: Asked, error: unknown): void {
    if (this.#failing.has(subject)) return;
    this.#failing.add(subject);
    const [code, why] = reasonOf(error);
    this.#log.tell({
      level: "warn",
      code: "request_failed",
      ...asked,
      error: code,
      message: `${subject} failed with ${code}: ${why} Its promise says so each time; this line comes once, until it succeeds again.`,
    });
  }
}

/** An error's code and sentence, for the log; of one that isn't Wakeshift's only the type, since its message might hold a secret. */
export function reasonOf(error: unknown): readonly [code: string, why: string] {
  return WakeshiftError.isInstance(error) ? [error.code, error.message] : [errorNameOf(error), "the reason isn't Wakeshift's."];
}
