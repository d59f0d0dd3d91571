import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBase58, parseBase58 } from "./base58.ts";

describe("base58 of a fixed length", () => {
  it("round-trips any 36 bytes in 50 characters", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 36, maxLength: 36 }), (bytes) => {
        const text = formatBase58(bytes, 50);
        expect(text).toHaveLength(50);
        expect(parseBase58(text, 36)).toEqual(Uint8Array.from(bytes));
      }),
    );
  });

  it("gives every text one reading only: what parses is what would be written", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{50}$/), (text) => {
        const bytes = parseBase58(text, 36);
        if (bytes !== undefined) expect(formatBase58(bytes, 50)).toBe(text);
      }),
    );
  });

  it("refuses foreign characters and numbers too big for the bytes", () => {
    expect(parseBase58("0", 1)).toBeUndefined();
    expect(parseBase58("l", 1)).toBeUndefined();
    expect(parseBase58("zz", 1)).toBeUndefined();
    expect(parseBase58("5Q", 1)).toEqual(Uint8Array.of(255));
  });

  it("refuses to write what doesn't fit", () => {
    expect(() => formatBase58(Uint8Array.of(255), 1)).toThrow(/don't fit/);
  });
});
