import { expect, test } from "vitest";
import { cutToBytes } from "./cut-to-bytes.ts";

test("keeps what fits, and halves no character of what doesn't", () => {
  expect(cutToBytes("abc", 3)).toBe("abc");
  expect(cutToBytes("abcdef", 5)).toBe("ab…");
  expect(cutToBytes("ééé", 6)).toBe("ééé");
  expect(cutToBytes("éééé", 6)).toBe("é…");
  expect(cutToBytes("🎉🎉", 7)).toBe("🎉…");
  for (let bytes = 3; bytes < 40; bytes += 1) {
    const cut = cutToBytes("a🎉é\u2028ਗ".repeat(5), bytes);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  }
});
