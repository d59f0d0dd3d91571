import type { ServerResponse } from "node:http";
import { redactSecrets, WakeshiftError } from "@wakeshift/protocol";
import type { ErrorAnswer } from "@wakeshift/protocol";
import { RetryLater } from "../../engine/retry-later.ts";

/** On every answer: it is data for a program, for nobody's cache, and for no page. */
const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
} as const;

const RETRY_AFTER_MS = 2_000;

/** Writes an answer whole. Does nothing where one was begun, or the asker has left. */
export function writeJson(response: ServerResponse, status: number, json: string, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...HEADERS, "Content-Length": Buffer.byteLength(json), ...headers });
  response.end(json);
}

/** Writes a refusal. What isn't one of our own errors is our fault, and told as that. */
export function writeError(response: ServerResponse, error: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const known = WakeshiftError.isInstance(error)
    ? error
    : new WakeshiftError(
        "internal",
        "The core failed at this request; it is in the core's log under the answer's X-Request-Id. Try again.",
      );
  const { code, reason, status } = known;
  const message = redactSecrets(known.message);
  const answer: ErrorAnswer = { error: reason === undefined ? { code, message } : { code, message, reason } };
  writeJson(response, status, JSON.stringify(answer), { ...headers, ...retryAfter(known) });
}

function retryAfter(error: WakeshiftError): Readonly<Record<string, string>> {
  if (!error.retryable || (error.status !== 503 && error.status !== 429)) return {};
  const waitMs = error instanceof RetryLater ? error.retryAfterMs : RETRY_AFTER_MS;
  return { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
}
