import { WakeshiftError } from "../errors.ts";
import { writeDigits } from "./write-digits.ts";

/** The random secrets a core hands out, beside app keys. */
export type SecretKind = "session" | "ticket" | "voucher";

const PREFIXES: Readonly<Record<SecretKind, string>> = { session: "wsk_", ticket: "wkt_", voucher: "wsv_" };
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 32;
const RANDOM_BYTES = 32;
const BODY = /^[0-9A-Za-z]{32}$/;

/**
 * Writes a session key (`wsk_`), ticket (`wkt_`) or voucher (`wsv_`): the prefix and 32 base62 characters, about 190 bits.
 *
 * @param random - at least 32 random bytes. More bits than the text can hold, so that the remainder is uniform.
 */
export function formatSecret(kind: SecretKind, random: Uint8Array): string {
  if (random.length < RANDOM_BYTES) {
    throw new WakeshiftError("internal", `A secret needs ${RANDOM_BYTES} random bytes, not ${random.length}.`);
  }
  return PREFIXES[kind] + writeDigits(random, ALPHABET, LENGTH).text;
}

/** Tells whether a text has the form of that kind of secret. Says nothing about whether it is a good one. */
export function isSecret(kind: SecretKind, text: string): boolean {
  const prefix = PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}
