const MOST_ROUNDS = 16;

/**
 * By how much longer the quickest run of `withIt` takes than the quickest of `without`, in milliseconds. Both are run in
 * turn, and again while the difference is over `limit`: what else the machine does only ever makes a run longer.
 */
export async function extraTime(
  without: () => Promise<number>,
  withIt: () => Promise<number>,
  limit: (withoutMs: number) => number,
): Promise<{ readonly extraMs: number; readonly limitMs: number }> {
  let quickest = Number.POSITIVE_INFINITY;
  let quickestWith = Number.POSITIVE_INFINITY;
  let outcome = { extraMs: quickest, limitMs: 0 };
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    quickest = Math.min(quickest, await without());
    quickestWith = Math.min(quickestWith, await withIt());
    outcome = { extraMs: quickestWith - quickest, limitMs: limit(quickest) };
    if (round > 1 && outcome.extraMs < outcome.limitMs) break;
  }
  return outcome;
}
