import { randomBytes } from "node:crypto";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32 } from "./crc32.ts";

describe("CRC-32", () => {
  it("gives the check value of the published catalogue for 123456789", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
  });

  it("agrees with zlib", () => {
    for (let round = 0; round < 100; round += 1) {
      const bytes = randomBytes(round);
      expect(crc32(bytes)).toBe(zlib.crc32(bytes));
    }
  });
});
