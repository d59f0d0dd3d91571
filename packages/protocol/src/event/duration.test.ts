import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WakeshiftError } from "../errors.ts";
import { parseDuration } from "./duration.ts";

describe("durations", () => {
  it("are texts with a unit (seed-124)", () => {
    expect(["10m", "24h", "7d", "90s", "500ms", "0s"].map(parseDuration)).toEqual([600_000, 86_400_000, 604_800_000, 90_000, 500, 0]);
  });

  it("or whole milliseconds, and both spellings of one duration are equal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (count) => {
        expect(parseDuration(count)).toBe(count);
        expect(parseDuration(`${count}ms`)).toBe(count);
        expect(parseDuration(`${count}s`)).toBe(count * 1_000);
        expect(parseDuration(`${count}m`)).toBe(count * 60_000);
        expect(parseDuration(`${count}h`)).toBe(count * 3_600_000);
        expect(parseDuration(`${count % 1e7}d`)).toBe((count % 1e7) * 86_400_000);
      }),
    );
  });

  it("are refused by their own words, a long text by its beginning", () => {
    expect(() => parseDuration(-1)).toThrow(/^-1 is/);
    expect(() => parseDuration("soon")).toThrow(/^"soon" is/);
    expect(() => parseDuration("x".repeat(41))).toThrow(`"${"x".repeat(40)}" is`);
  });

  it("are not anything else, and the refusal names the value and what to write", () => {
    const wrong = ["", "10", "m", "1.5h", "-1s", "+1s", " 1s", "1 s", "1S", "1h30m", "01s", "1e3ms", "9999999999999999d", "1s\n"];
    for (const value of [...wrong, -1, 0.5, Number.NaN, Infinity, 2 ** 53, null, undefined, {}, true]) {
      let error: unknown;
      try {
        parseDuration(value as string);
      } catch (thrown) {
        error = thrown;
      }
      expect(WakeshiftError.isInstance(error) && error.code, JSON.stringify(value)).toBe("bad_request");
      expect((error as Error).message).toContain('"10m"');
    }
  });
});
