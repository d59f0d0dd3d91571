import { expect, test } from "vitest";
import { describeDuration } from "./describe-duration.ts";

test.each([
  [0, "0 seconds"],
  [1, "1 millisecond"],
  [1_500, "1 second 500 milliseconds"],
  [20_000, "20 seconds"],
  [60_000, "1 minute"],
  [600_000, "10 minutes"],
  [5_400_000, "1 hour 30 minutes"],
  [86_400_000, "24 hours"],
])("%i ms are told as %s", (milliseconds, told) => {
  expect(describeDuration(milliseconds)).toBe(told);
});
