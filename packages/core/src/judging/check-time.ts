import { refill } from "../engine/event/emit-rate.ts";
import type { EmitAllowance, EmitRate } from "../engine/event/emit-rate.ts";
import { RetryLater } from "../engine/retry-later.ts";

/** Milliseconds of checking that one app's schemas may take: half a thread, and five seconds of one after a pause. */
const RATE: EmitRate = { perSecond: 500, burst: 5_000 };

/** Charges every app the time that its schemas take. */
export class CheckTime {
  readonly #allowances = new Map<string, EmitAllowance>();

  /** @throws RetryLater `rate_limited` where the app has used up its time */
  assertLeft(appId: string, monotonicMs: number): void {
    const { left } = refill(RATE, this.#allowances.get(appId), monotonicMs);
    if (left > 0) return;
    throw new RetryLater(
      "rate_limited",
      `Checking this app's events takes more than ${RATE.perSecond} ms in every second. Emit slower, or make their schemas simpler.`,
      Math.ceil(((1 - left) / RATE.perSecond) * 1_000),
    );
  }

  charge(appId: string, tookMs: number, monotonicMs: number): void {
    const { left } = refill(RATE, this.#allowances.get(appId), monotonicMs);
    this.#allowances.set(appId, { left: left - tookMs, at: monotonicMs });
  }
}
