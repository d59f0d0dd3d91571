import type { Instant, StoreClock } from "../../engine/store.ts";

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
    this.elapsed += ms;
  }

  /** Somebody sets the wall clock; no time passes. */
  stepWall(ms: number): void {
    this.wall += ms;
  }
}
