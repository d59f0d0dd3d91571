import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, cutText } from "./cut-text.ts";

describe("cutting", () => {
  it("gives a beginning of the text within the bytes, never half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: -2, max: 80 }), (text, bytes) => {
        const cut = cutText(text, bytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(byteLength(cut)).toBeLessThanOrEqual(Math.max(0, bytes));
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        if (byteLength(text) <= bytes) expect(cut).toBe(text);
      }),
    );
  });

  it("keeps a joined emoji whole or leaves it out", () => {
    const family = "👩‍👩‍👧‍👦"; // 25 bytes
    for (let bytes = 1; bytes < 26; bytes += 1) expect(cutText(`a${family}b`, bytes)).toBe("a");
    expect(cutText(`a${family}b`, 26)).toBe(`a${family}`);
    expect(cutText("🇩🇪🇫🇷", 15)).toBe("🇩🇪");
  });

  it("cuts a heap of combining marks between characters, so that it can't push everything out", () => {
    const heap = `a${"\u0301".repeat(5_000)}`;
    expect(byteLength(cutText(heap, 1_000))).toBeGreaterThan(900);
  });

  it("looks only at the beginning of a huge text", () => {
    const start = process.cpuUsage();
    expect(cutText("x".repeat(50_000_000), 10)).toBe("x".repeat(10));
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  });
});
