import { expect, test } from "vitest";
import { takeEmit } from "./emit-rate.ts";
import type { EmitAllowance } from "./emit-rate.ts";

test("lets a burst through, then the sustained rate, and says when to try again", () => {
  const rate = { perSecond: 10, burst: 3 };
  let allowance: EmitAllowance | undefined;
  const at = (now: number): number | undefined => {
    const taken = takeEmit(rate, allowance, now);
    ({ allowance } = taken);
    return taken.retryInMs;
  };
  expect([at(0), at(0), at(0)]).toEqual([undefined, undefined, undefined]);
  expect(at(0)).toBe(100);
  expect(at(50)).toBe(50);
  expect(at(100)).toBeUndefined();
  expect(at(100)).toBe(100);
  expect([at(100_000), at(100_000), at(100_000)]).toEqual([undefined, undefined, undefined]);
  expect(at(100_000)).toBe(100);
});

test("a monotonic clock that seems to step back gives nothing away", () => {
  const taken = takeEmit({ perSecond: 10, burst: 3 }, { left: 0, at: 1_000 }, 0);
  expect(taken.retryInMs).toBe(100);
});
