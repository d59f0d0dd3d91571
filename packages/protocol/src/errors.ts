import { cleanLine } from "./frame/clean-text.ts";

/**
 * The one table of error codes, shared by every Wakeshift package and language.
 * `spec/errors.json` is the same table as data; a test keeps the two equal.
 */
export const ERROR_TABLE = {
  no_call: { status: 400, retryable: false },
  no_key: { status: 401, retryable: false },
  already_attached: { status: 409, retryable: false },
  identify_failed: { status: 502, retryable: true },
  undeclared_event: { status: 400, retryable: false },
  bad_arguments: { status: 400, retryable: false },
  bad_payload: { status: 400, retryable: false },
  bad_request: { status: 400, retryable: false },
  bad_event: { status: 400, retryable: false },
  reserved_argument: { status: 400, retryable: false },
  bad_openness: { status: 400, retryable: false },
  replay_too_long: { status: 400, retryable: false },
  user_required: { status: 403, retryable: false },
  to_required: { status: 400, retryable: false },
  to_refused: { status: 400, retryable: false },
  unknown_event: { status: 404, retryable: false },
  unknown_subscription: { status: 404, retryable: false },
  unknown_session: { status: 403, retryable: false },
  other_client: { status: 403, retryable: false },
  unknown_conversation: { status: 403, retryable: false },
  not_open: { status: 403, retryable: false },
  voucher_refused: { status: 403, retryable: false },
  subscription_limit: { status: 429, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  callback_failed: { status: 422, retryable: false },
  unsupported: { status: 501, retryable: false },
  unauthorized: { status: 401, retryable: false },
  rate_limited: { status: 429, retryable: true },
  storage_full: { status: 503, retryable: true },
  storage_gone: { status: 503, retryable: true },
  unreachable: { status: 503, retryable: true },
  bad_response: { status: 502, retryable: false },
  already_running: { status: 409, retryable: false },
  port_in_use: { status: 409, retryable: false },
  internal: { status: 500, retryable: true },
} as const;

/** A stable error code. Match on this, never on a message. */
export type ErrorCode = keyof typeof ERROR_TABLE;

/** Tells whether `value` is one of the codes of {@link ERROR_TABLE}. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_TABLE, value);
}

const BRAND = Symbol.for("ai.wakeshift/error/v1");

/** Facts that go with an error, beside its code and sentence. */
export interface WakeshiftErrorOptions {
  /** What made this error, kept for logs. */
  readonly cause?: unknown;
  /** HTTP status, where it differs from the table's. */
  readonly status?: number;
  /** Whether the same request may succeed later, where that differs from the table. */
  readonly retryable?: boolean;
  /** A finer category from a fixed list, such as a refused callback's. */
  readonly reason?: string;
}

/**
 * The one error class. `code` is stable, `message` is a sentence for the person who reads the log:
 * what happened, which value, what to do. It never carries a secret, and is one line without anything that steers a terminal, whoever's
 * words it repeats.
 */
export class WakeshiftError extends Error {
  override readonly name: string = "WakeshiftError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: WakeshiftErrorOptions = {}) {
    super(cleanLine(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERROR_TABLE[code].status;
    this.retryable = options.retryable ?? ERROR_TABLE[code].retryable;
    this.reason = options.reason === undefined ? undefined : cleanLine(options.reason);
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Tells a Wakeshift error from any other value, also across two copies of this package. */
  static isInstance(value: unknown): value is WakeshiftError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}
