import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { formatOccurrenceId, occurrenceIdOf } from "./occurrence-id.ts";

describe("occurrence id", () => {
  it("is evt_ and a UUIDv7 without dashes, whose first 48 bits are the time", () => {
    const now = 1_795_985_580_694;
    const id = formatOccurrenceId(randomBytes(10), now);
    expect(id).toMatch(/^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(Number.parseInt(id.slice(4, 16), 16)).toBe(now);
  });

  it("sorts by time", () => {
    const times = [0, 1, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 1_795_985_580_694, 281_474_976_710_655];
    const ids = times.map((time) => formatOccurrenceId(randomBytes(10), time));
    expect([...ids].sort()).toEqual(ids);
  });

  it("keeps all 74 random bits", () => {
    expect(formatOccurrenceId(new Uint8Array(10).fill(0xff), 0)).toBe("evt_0000000000007fffbfffffffffffffff");
    expect(formatOccurrenceId(new Uint8Array(10), 0)).toBe("evt_00000000000070008000000000000000");
    expect(() => formatOccurrenceId(new Uint8Array(9), 0)).toThrow(/10 random bytes/);
  });
});

describe("occurrence id of an author's id", () => {
  const digest = "0123456789abcdef".repeat(4);

  it("is that id where it is plain", () => {
    for (const id of ["run-17", "a", "evt_x", "repo:main:42", "A_b-C:9"]) expect(occurrenceIdOf(id, digest)).toBe(id);
  });

  it("is half of the digest for any other, so that it never leaves its place in a frame or a command line", () => {
    for (const id of ["a b", "a\n", "ä", "a/b", "$(x)", ""])
      expect(occurrenceIdOf(id, digest)).toBe("evt_0123456789abcdef0123456789abcdef");
  });
});
