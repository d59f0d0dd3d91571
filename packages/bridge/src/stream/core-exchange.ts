import { request } from "undici";
import type { Dispatcher } from "undici";
import {
  ERROR_TABLE,
  WakeshiftError,
  connectionFailureCode,
  describeUnreachable,
  foreignResponse,
  isErrorCode,
  redactSecrets,
} from "@wakeshift/protocol";
import type { CoreAsker } from "@wakeshift/protocol";

const API = "/api/wakes/v1";
const ANSWER_BYTES = 4_194_304;
const LONGEST_RETRY_AFTER_MS = 600_000;
/** The bridge in a sentence about a core that can't be asked. */
const ASKER: CoreAsker = { setting: "the address", process: "the bridge" };

/** A core's refusal or silence, with the pause it asked for. */
export class CoreRefusal extends WakeshiftError {
  readonly retryAfterMs: number | undefined;

  constructor(error: WakeshiftError, retryAfterMs: number | undefined) {
    super(error.code, error.message, { status: error.status, retryable: error.retryable, cause: error.cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Requests to one core by one way. Follows no redirect. */
export class CoreExchange {
  readonly base: string;
  readonly #dispatcher: Dispatcher;

  constructor(base: string, dispatcher: Dispatcher) {
    this.base = base;
    this.#dispatcher = dispatcher;
  }

  /**
   * One request with a JSON answer.
   *
   * @throws CoreRefusal `unreachable` (no connection, timeout), `bad_response` (no JSON), or the core's own code.
   */
  async post(path: string, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await this.#request(
      path,
      body,
      "application/json",
      signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    );
    const text = await readBounded(this.base, response.body);
    const value = parseJson(text);
    if (response.statusCode < 200 || response.statusCode > 299) throw refusal(this.base, response, value);
    if (value === undefined) throw noJson(this.base, response.statusCode, undefined);
    return value;
  }

  /**
   * Opens an event stream.
   *
   * @throws CoreRefusal as `post`; `bad_response` where something else than an event stream answers.
   */
  async stream(path: string, body: unknown, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const response = await this.#request(path, body, "text/event-stream", signal);
    const type = String(response.headers["content-type"] ?? "");
    if (response.statusCode === 200 && type.startsWith("text/event-stream")) return response.body;
    const text = await readBounded(this.base, response.body).catch(() => "");
    throw refusal(this.base, response, parseJson(text));
  }

  async #request(path: string, body: unknown, accept: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await request(`${this.base}${API}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify(body),
        dispatcher: this.#dispatcher,
        signal,
      });
    } catch (error) {
      throw unreachable(this.base, error);
    }
  }
}

async function readBounded(base: string, body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANSWER_BYTES) throw new Error(`more than ${ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(base, error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function unreachable(base: string, cause: unknown): CoreRefusal {
  const code = connectionFailureCode(cause);
  if (code !== undefined) return new CoreRefusal(new WakeshiftError("unreachable", describeUnreachable(base, code, ASKER)), undefined);
  const reason = redactSecrets(
    cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || cause.name : String(cause),
  );
  return new CoreRefusal(new WakeshiftError("unreachable", `The core at ${base} can't be reached: ${reason.slice(0, 200)}.`), undefined);
}

function noJson(base: string, status: number, retryAfterMs: number | undefined): CoreRefusal {
  const error = foreignResponse(base, status, ASKER);
  return new CoreRefusal(new WakeshiftError(error.code, error.message, { retryable: true }), retryAfterMs);
}

function refusal(base: string, response: Dispatcher.ResponseData, value: unknown): CoreRefusal {
  const retryAfterMs = readRetryAfter(response.headers["retry-after"]);
  const error = (value as { error?: { code?: unknown; message?: unknown } } | null | undefined)?.error;
  if (error === undefined || !isErrorCode(error.code)) return noJson(base, response.statusCode, retryAfterMs);
  const sentence = redactSecrets(String(error.message)).slice(0, 300);
  const options = { status: response.statusCode, retryable: ERROR_TABLE[error.code].retryable };
  return new CoreRefusal(
    new WakeshiftError(error.code, `${base} answered ${response.statusCode} ${error.code}: ${sentence}`, options),
    retryAfterMs,
  );
}

/** Seconds only: a date would need the core's and this machine's clocks to agree. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  const seconds = typeof header === "string" && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
  return seconds === undefined ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, seconds * 1_000);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
