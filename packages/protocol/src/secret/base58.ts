import { WakeshiftError } from "../errors.ts";
import { writeDigits } from "./write-digits.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Writes bytes as one big-endian number in base58 (Bitcoin alphabet), padded with the zero digit `1`
 * to exactly `length` characters. Unlike Bitcoin's form the length never depends on the value.
 */
export function formatBase58(bytes: Uint8Array, length: number): string {
  const { text, rest } = writeDigits(bytes, ALPHABET, length);
  if (rest > 0n) throw new WakeshiftError("internal", `${bytes.length} bytes don't fit into ${length} base58 characters.`);
  return text;
}

/** Reads what {@link formatBase58} wrote. `undefined`: a character outside the alphabet, or a number too big for `byteLength` bytes. */
export function parseBase58(text: string, byteLength: number): Uint8Array | undefined {
  let rest = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    rest = rest * 58n + BigInt(digit);
  }
  const bytes = new Uint8Array(byteLength);
  for (let place = byteLength - 1; place >= 0; place -= 1) {
    bytes[place] = Number(rest % 256n);
    rest /= 256n;
  }
  return rest > 0n ? undefined : bytes;
}
