import { expect, test } from "vitest";
import { comeBackMs } from "./come-back.ts";

test("PC-33 spreads two hundred streams over more than five seconds, none of which gets more than 30 % of them", () => {
  const seconds = Array.from({ length: 200 }, (_, index) => Math.floor(comeBackMs(200, index / 200) / 1_000));
  const counts = new Map<number, number>();
  for (const second of seconds) counts.set(second, (counts.get(second) ?? 0) + 1);
  expect(Math.max(...seconds)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(60);
});

test("lets a single stream come back within the second", () => {
  expect(comeBackMs(1, 0.999)).toBeLessThan(1_000);
  expect(comeBackMs(1, 0)).toBeGreaterThan(0);
});
