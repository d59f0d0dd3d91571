/** How much an app may use of something. */
export interface EmitRate {
  /** Sustained. */
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
}

/** What is left of an app's burst, and when that was so (monotonic milliseconds). Below 0: it used more than it had. */
export interface EmitAllowance {
  readonly left: number;
  readonly at: number;
}

/** Takes one emit from an allowance. `retryInMs`: none is left, try again after so long. */
export function takeEmit(
  rate: EmitRate,
  before: EmitAllowance | undefined,
  now: number,
): { readonly allowance: EmitAllowance; readonly retryInMs?: number } {
  const allowance = refill(rate, before, now);
  const { left } = allowance;
  if (left >= 1) return { allowance: { left: left - 1, at: now } };
  return { allowance, retryInMs: Math.ceil(((1 - left) / rate.perSecond) * 1_000) };
}

/** An allowance with what it gained until now. */
export function refill(rate: EmitRate, before: EmitAllowance | undefined, now: number): EmitAllowance {
  const gained = before === undefined ? rate.burst : before.left + (Math.max(0, now - before.at) / 1_000) * rate.perSecond;
  return { left: Math.min(rate.burst, gained), at: now };
}
