/**
 * Shares `available` among wishes: whoever wants no more than an equal part gets its wish, and what it leaves goes to the others.
 * The shares never sum to more than `available`.
 */
export function share(available: number, wishes: readonly number[]): readonly number[] {
  const shares = wishes.map(() => 0);
  const bySize = wishes.map((wish, place) => ({ wish, place })).sort((left, right) => left.wish - right.wish);
  let rest = Math.max(0, available);
  bySize.forEach(({ wish, place }, done) => {
    const part = Math.min(wish, Math.floor(rest / (bySize.length - done)));
    shares[place] = part;
    rest -= part;
  });
  return shares;
}
