const MOST_ROUNDS = 5;

/**
 * The quickest of several measurements, in milliseconds: what else the machine does only ever makes one longer. It measures
 * again only while all were over `limitMs`.
 */
export async function quickest(limitMs: number, measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS && best >= limitMs; round += 1) best = Math.min(best, await measure());
  return best;
}
