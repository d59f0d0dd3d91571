import type { Instant, StoreClock } from "../../engine/store.ts";

/** How much the monotonic clock runs ahead at each step: a machine's counts in fractions of a millisecond, and no store may rely on whole ones. */
const FRACTION_MS = 0.125;

/** A clock that stands still until told. */
export class ManualClock implements StoreClock {
  private wall: Instant = Date.UTC(2026, 0, 1);
  private elapsed = 1_000;

  now(): Instant {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  /** Time passes. */
  advance(ms: number): void {
    this.wall += ms;
    this.elapsed += ms + FRACTION_MS;
  }

  /** Somebody sets the wall clock; no time passes. */
  stepWall(ms: number): void {
    this.wall += ms;
  }
}
