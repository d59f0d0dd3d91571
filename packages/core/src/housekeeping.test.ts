import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startHousekeeping } from "./housekeeping.ts";
import { createLogger } from "./logger.ts";

const DAY = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a wall clock that is days ahead for a while makes nothing old, and one that is set back is followed", async () => {
  const clock = { wall: 20_000 * DAY, elapsed: 0, now: () => clock.wall, monotonic: () => clock.elapsed };
  const pruned: number[] = [];
  const store = { prune: (now: number) => Promise.resolve(pruned.push(now) < 0) };
  const stop = startHousekeeping({ store, clock, log: createLogger("silent"), retentionMs: 7 * DAY });
  const step = async (wall: number): Promise<number | undefined> => {
    clock.wall += wall + 5_000;
    clock.elapsed += 5_000;
    await vi.advanceTimersByTimeAsync(5_000);
    return pruned.at(-1);
  };
  expect(await step(0)).toBe(clock.wall);
  expect(await step(30 * DAY)).toBe(clock.wall - 30 * DAY);
  expect(await step(0)).toBe(clock.wall - 30 * DAY);
  expect(await step(-30 * DAY)).toBe(clock.wall);
  expect(await step(-2 * DAY)).toBe(clock.wall);
  await stop();
});
