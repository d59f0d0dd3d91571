/**
 * Writes bytes as one big-endian number in the alphabet's digits, padded with its zero digit to `length` characters: the
 * number's lowest digits, and as `rest` what stands above them.
 */
export function writeDigits(bytes: Uint8Array, alphabet: string, length: number): { readonly text: string; readonly rest: bigint } {
  const base = BigInt(alphabet.length);
  let rest = 0n;
  for (const byte of bytes) rest = rest * 256n + BigInt(byte);
  let text = "";
  for (let place = 0; place < length; place += 1) {
    text = alphabet.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return { text, rest };
}
