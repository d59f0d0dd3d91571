const SHORTEST_PART = 3;
/** Nearer than two slips, farther than one. */
const PART = 1.5;

/** The one of `known` that `given` was probably meant to be. `undefined`: none is near enough to be suggested. */
export function nearName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const near = known
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.ceil(wanted.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** `apiKey` means `key`, and `timeout` means `timeoutMs`. */
function distanceOf(given: string, known: string): number {
  const [shorter, longer] = given.length < known.length ? [given, known] : [known, given];
  const distance = editDistance(given, known);
  return shorter.length >= SHORTEST_PART && longer.includes(shorter) ? Math.min(distance, PART) : distance;
}

/** Insertions, deletions, replacements and swaps of neighbors that lead from one text to the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? at(before, j - 2) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
