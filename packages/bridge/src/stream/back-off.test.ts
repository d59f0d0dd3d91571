import { describe, expect, test } from "vitest";
import { backOff } from "./back-off.ts";

const options = { firstMs: 250, longestMs: 30_000 };

describe("the pause between attempts", () => {
  test("doubles up to the longest, at least half of it not random", () => {
    expect([1, 2, 3, 4].map((failures) => backOff(failures, 1, options))).toEqual([250, 500, 1_000, 2_000]);
    expect([1, 2, 3, 4].map((failures) => backOff(failures, 0, options))).toEqual([125, 250, 500, 1_000]);
    expect(backOff(50, 1, options)).toBe(30_000);
    expect(backOff(5_000, 0, options)).toBe(15_000);
  });
});
