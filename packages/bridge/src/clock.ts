/** Time as the bridge needs it. Waits, leases and budgets run on `monotonic`; `now` is only for what is stored and for expiry. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
