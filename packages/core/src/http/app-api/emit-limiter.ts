import { takeEmit } from "../../engine/event/emit-rate.ts";
import type { EmitAllowance, EmitRate } from "../../engine/event/emit-rate.ts";
import { RetryLater } from "../../engine/retry-later.ts";

/** Holds every app to the emits it may make. */
export class EmitLimiter {
  readonly #rate: EmitRate | undefined;
  readonly #allowances = new Map<string, EmitAllowance>();

  /** @param rate - `undefined`: as many as it likes. */
  constructor(rate: EmitRate | undefined) {
    this.#rate = rate;
  }

  /** Counts one emit of an app. @throws RetryLater `rate_limited` */
  take(appId: string, monotonicMs: number): void {
    if (this.#rate === undefined) return;
    const { allowance, retryInMs } = takeEmit(this.#rate, this.#allowances.get(appId), monotonicMs);
    this.#allowances.set(appId, allowance);
    if (retryInMs !== undefined) {
      throw new RetryLater("rate_limited", `This app emits more than ${this.#rate.perSecond} times a second; emit slower.`, retryInMs);
    }
  }
}
