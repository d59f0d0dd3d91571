import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseBase64url } from "./base64url.ts";

describe("base64url", () => {
  it("reads what Node writes, for every length", () => {
    for (let length = 0; length < 100; length += 1) {
      const bytes = randomBytes(length);
      expect(parseBase64url(bytes.toString("base64url"))).toEqual(Uint8Array.from(bytes));
    }
  });

  it("refuses foreign characters, impossible lengths and stray bits", () => {
    for (const text of ["A", "AAAAA", "A+AA", "AA/A", "AA==", "AB", "AAB"]) expect(parseBase64url(text)).toBeUndefined();
  });
});
