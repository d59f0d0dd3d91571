import { expect, test } from "vitest";
import { EmitLimiter } from "./emit-limiter.ts";

test("holds each app to its emits, and says when to try again", () => {
  const limiter = new EmitLimiter({ perSecond: 1, burst: 2 });
  limiter.take("app_1", 0);
  limiter.take("app_1", 0);
  expect(() => limiter.take("app_1", 0)).toThrow(
    expect.objectContaining({ code: "rate_limited", retryable: true, retryAfterMs: 1_000 }) as Error,
  );
  limiter.take("app_2", 0);
  limiter.take("app_1", 1_000);
});

test("without a rate lets everything through", () => {
  const limiter = new EmitLimiter(undefined);
  for (let emits = 0; emits < 10_000; emits += 1) limiter.take("app_1", 0);
});
