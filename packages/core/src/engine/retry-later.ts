import { WakeshiftError } from "@wakeshift/protocol";
import type { ErrorCode, WakeshiftErrorOptions } from "@wakeshift/protocol";

/** A refusal that says when to try again. */
export class RetryLater extends WakeshiftError {
  readonly retryAfterMs: number;

  constructor(code: ErrorCode, message: string, retryAfterMs: number, options: WakeshiftErrorOptions = {}) {
    super(code, message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
