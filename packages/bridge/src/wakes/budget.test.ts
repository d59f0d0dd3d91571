import { describe, expect, test } from "vitest";
import { BUDGET_WINDOW_MS, decideBudget } from "./budget.ts";

describe("the wake budget", () => {
  test("allows up to the limit within the sliding hour", () => {
    expect(decideBudget([], 0, 1)).toEqual({ allowed: true });
    expect(decideBudget([10, 20], 30, 3)).toEqual({ allowed: true });
    expect(decideBudget([10, 20, 25], 30, 3)).toEqual({ allowed: false, inMs: 10 + BUDGET_WINDOW_MS - 30 });
  });

  test("forgets what is older than an hour", () => {
    expect(decideBudget([0], BUDGET_WINDOW_MS - 1, 1)).toEqual({ allowed: false, inMs: 1 });
    expect(decideBudget([0], BUDGET_WINDOW_MS, 1)).toEqual({ allowed: true });
  });

  test("waits for as many to grow old as it takes when the limit was lowered", () => {
    expect(decideBudget([0, 1_000, 2_000], 3_000, 2)).toEqual({ allowed: false, inMs: 1_000 + BUDGET_WINDOW_MS - 3_000 });
  });
});
