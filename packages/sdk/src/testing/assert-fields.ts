import { WakeshiftError, assertPlainJson } from "@wakeshift/protocol";
import type { ErrorCode } from "@wakeshift/protocol";

const SHORT = 256;
const LONG = 1_024;

/** How many characters a core takes of each field that a server's author, or its client, fills in; whether in a call or beside it. */
const LONGEST: ReadonlyMap<string, number> = new Map([
  ...["client", "harness", "tool"].map((field) => [field, SHORT] as const),
  ...["user", "session", "user_agent", "conversation"].map((field) => [field, LONG] as const),
]);

/** Fields with a code of their own. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["arguments", "bad_arguments"],
  ["payload", "bad_payload"],
  ["text", "bad_payload"],
]);

/**
 * Refuses, ahead of all else, what no core can store: NUL, half a surrogate pair, and what is too long.
 * @throws WakeshiftError `bad_request`, `bad_arguments`, `bad_payload`
 */
export function assertFields(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  for (const [field, value] of Object.entries(body))
    if (value !== undefined) assertPlainJson(value, CODES.get(field) ?? "bad_request", field);
  assertLengths(body);
  assertLengths((body as { readonly call?: unknown }).call ?? {});
}

function assertLengths(fields: object): void {
  for (const [field, value] of Object.entries(fields)) {
    const longest = LONGEST.get(field);
    if (longest === undefined || typeof value !== "string" || value.length <= longest) continue;
    throw new WakeshiftError("bad_request", `${field} has ${String(value.length)} characters; at most ${String(longest)} are taken.`);
  }
}
