import { describe, expect, it } from "vitest";
import { formatSubscriptionId } from "./subscription-id.ts";

describe("subscription id", () => {
  it("is sub_ and 32 lowercase hex characters", () => {
    expect(formatSubscriptionId(Uint8Array.from({ length: 16 }, (_, place) => place * 17))).toBe("sub_00112233445566778899aabbccddeeff");
  });

  it("is not made from another number of bytes", () => {
    expect(() => formatSubscriptionId(new Uint8Array(15))).toThrow(/16 random bytes/);
  });
});
