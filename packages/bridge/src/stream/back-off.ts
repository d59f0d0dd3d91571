/** Pauses between attempts, in milliseconds. */
export interface BackOffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause before attempt number `failures` + 1: doubling, at most `longestMs`, of which the upper half is random so
 * that many bridges don't come back at one moment.
 *
 * @param failures - failed attempts in a row, at least 1
 * @param random - from 0 up to 1
 */
export function backOff(failures: number, random: number, options: BackOffOptions): number {
  const whole = Math.min(options.longestMs, options.firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return Math.round(whole / 2 + (whole / 2) * random);
}
