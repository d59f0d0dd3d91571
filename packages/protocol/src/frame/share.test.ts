import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { share } from "./share.ts";

describe("sharing", () => {
  it("gives what is left over by small wishes to the large ones", () => {
    expect(share(100, [10, 80, 80])).toEqual([10, 45, 45]);
    expect(share(100, [10, 20])).toEqual([10, 20]);
    expect(share(-5, [10])).toEqual([0]);
    expect(share(5, [])).toEqual([]);
  });

  it("never gives more than there is, nor more than wished, and grants all wishes where there is enough", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.array(fc.nat(5_000), { maxLength: 25 }), (available, wishes) => {
        const shares = share(available, wishes);
        const sum = shares.reduce((total, part) => total + part, 0);
        const wished = wishes.reduce((total, wish) => total + wish, 0);
        expect(sum).toBeLessThanOrEqual(available);
        shares.forEach((part, place) => expect(part).toBeLessThanOrEqual(wishes[place] ?? -1));
        if (wished <= available) expect(shares).toEqual(wishes);
      }),
    );
  });
});
