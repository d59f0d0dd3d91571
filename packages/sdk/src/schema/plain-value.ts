import type { ErrorCode } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError, assertPlainJson } from "@wakeshift/protocol";

/** What a value is refused with, and what it is called in the sentence. */
interface Refusal {
  readonly code: ErrorCode;
  readonly field: string;
  /** Objects and lists still taken. One that holds another twice, and so on downward, would be endless work and no JSON. */
  left: number;
}

/**
 * A value as JSON would carry it: fields that are `undefined` left out, as `JSON.stringify` leaves them out. All else,
 * also what JSON can't hold, stays for the check that comes after.
 *
 * @throws WakeshiftError with the given code for a value that holds itself or is nested deeper than 64 levels, and for one of
 * so many objects that no payload has room for them: `payload_too_large` in place of `bad_payload`
 */
export function plainValue(value: unknown, code: ErrorCode, field: string): unknown {
  return plain(value, { code, field, left: LIMITS.payloadBytes }, LIMITS.requestDepth);
}

/**
 * The value as it travels.
 * @throws WakeshiftError as {@link plainValue}, and with that code for whatever JSON can't hold
 */
export function plainJson(value: unknown, code: ErrorCode, field: string): unknown {
  const taken = plainValue(value, code, field);
  assertPlainJson(taken, code, field);
  return taken;
}

function plain(value: unknown, refusal: Refusal, depthLeft: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype) return value;
  if (depthLeft === 0) {
    const sentence = `holds itself, or is nested deeper than ${String(LIMITS.requestDepth)} levels; make it flatter.`;
    throw new WakeshiftError(refusal.code, `${refusal.field} ${sentence}`);
  }
  refusal.left -= 1;
  if (refusal.left < 0) {
    throw new WakeshiftError(
      refusal.code === "bad_payload" ? "payload_too_large" : refusal.code,
      `${refusal.field} would be more than ${String(LIMITS.payloadBytes)} objects and lists; leave some out.`,
    );
  }
  if (Array.isArray(value)) return value.map((inner) => plain(inner, refusal, depthLeft - 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, plain(inner, refusal, depthLeft - 1)]),
  );
}
