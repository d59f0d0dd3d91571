import { WakeshiftError } from "@wakeshift/protocol";
import { errorNameOf } from "./error-name.ts";
import type { LogBook } from "./log-book.ts";

/** What of the SDK an author asks for. */
export interface Asked {
  readonly request: "emit" | "end" | "forgetUser" | "list" | "subscribe" | "unsubscribe";
  /** The event it is about, where it is about one. */
  readonly event?: string;
  /** The tool whose call asked for it. */
  readonly tool?: string;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Requests whose failure the author is told in the log. Some may be left unawaited: one that fails then must not end the process,
 * as Node does with a rejection nobody handles. Of those a tool asks for, only the agent may hear otherwise: the MCP SDK makes a
 * result of what a handler throws.
 */
export class Failures {
  readonly #log: LogBook;
  /** The codes that each has failed with since it last succeeded. */
  readonly #failing: Map<string, Set<string>> = new Map();

  constructor(log: LogBook) {
    this.#log = log;
  }

  /**
   * Returns the same promise. Its rejection counts as handled and is logged, once a code until the same succeeds again; one with a
   * code in `callersOwn` isn't the author's to hear.
   */
  watch<T>(asked: Asked, promise: Promise<T>, callersOwn: ReadonlySet<string> = NONE): Promise<T> {
    promise.then(
      () => this.succeeded(asked),
      (error: unknown) => {
        if (!callersOwn.has(reasonOf(error)[0])) this.failed(asked, error);
      },
    );
    return promise;
  }

  /** The next failure of the same is told again. */
  succeeded(asked: Asked): void {
    this.#failing.delete(subjectOf(asked));
  }

  failed(asked: Asked, error: unknown): void {
    const subject = subjectOf(asked);
    const [code, why] = reasonOf(error);
    const told = this.#failing.get(subject) ?? new Set();
    if (told.has(code)) return;
    this.#failing.set(subject, told.add(code));
    const where = asked.tool === undefined ? "" : ` in ${asked.tool}`;
    this.#log.tell({
      level: "warn",
      code: "request_failed",
      ...asked,
      error: code,
      message: `${subject}${where} failed with ${code}: ${why} Its promise says so each time; this line comes once, until it succeeds again.`,
    });
  }
}

/** What fails for all tools alike is told with the first of them. */
function subjectOf({ request, event }: Asked): string {
  return event === undefined ? request : `${request} of ${event}`;
}

/** An error's code and sentence, for the log; of one that isn't Wakeshift's only the type, since its message might hold a secret. */
export function reasonOf(error: unknown): readonly [code: string, why: string] {
  return WakeshiftError.isInstance(error) ? [error.code, error.message] : [errorNameOf(error), "the reason isn't Wakeshift's."];
}
