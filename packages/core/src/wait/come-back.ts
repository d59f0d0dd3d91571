const SPREAD_PER_STREAM_MS = 40;
const MIN_SPREAD_MS = 500;
const MAX_SPREAD_MS = 30_000;
const LEAST_MS = 100;

/**
 * When a stream that the core ends may come back: spread evenly, the wider the more there are, so that all of them don't come at
 * once.
 *
 * @param random - 0 to 1.
 */
export function comeBackMs(streams: number, random: number): number {
  const spread = Math.min(MAX_SPREAD_MS, Math.max(MIN_SPREAD_MS, streams * SPREAD_PER_STREAM_MS));
  return LEAST_MS + Math.floor(random * spread);
}
