// @ts-check
/** @typedef {import("./read-sources.mjs").Source} Source */
/** @typedef {import("./rooms.mjs").Finding} Finding */

/**
 * Circles of imports between files, also of types only: one finding for each circle.
 * @param {readonly Source[]} sources
 * @returns {Finding[]}
 */
export function checkCircles(sources) {
  const paths = new Set(sources.map((source) => source.path));
  /** @type {Map<string, readonly string[]>} */
  const arrows = new Map();
  for (const source of sources) {
    const targets = source.imports.map((one) => one.file).filter((file) => file !== undefined);
    arrows.set(
      source.path,
      [...new Set(targets)].filter((file) => paths.has(file)),
    );
  }
  return stronglyConnected(arrows)
    .filter((group) => group.length > 1 || arrows.get(String(group[0]))?.includes(String(group[0])))
    .map((group) => ({
      level: "error",
      place: String(group[0]),
      message: `imports itself in a circle: ${circleIn(group, arrows).join(" → ")}. Types count too. Move what both need into a file below them, or pass it in.`,
    }));
}

/**
 * Tarjan's algorithm.
 * @param {ReadonlyMap<string, readonly string[]>} arrows
 * @returns {string[][]}
 */
function stronglyConnected(arrows) {
  /** @type {string[][]} */
  const groups = [];
  /** @type {Map<string, { index: number, low: number, onStack: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];

  /** @param {string} name */
  function visit(name) {
    const own = { index: seen.size, low: seen.size, onStack: true };
    seen.set(name, own);
    stack.push(name);
    for (const target of arrows.get(name) ?? []) {
      const other = seen.get(target);
      if (other === undefined) own.low = Math.min(own.low, visit(target));
      else if (other.onStack) own.low = Math.min(own.low, other.index);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(name));
      for (const member of group) /** @type {{ onStack: boolean }} */ (seen.get(member)).onStack = false;
      groups.push(group.sort());
    }
    return own.low;
  }

  for (const name of [...arrows.keys()].sort()) if (!seen.has(name)) visit(name);
  return groups;
}

/**
 * A shortest way from the group's first file back to it.
 * @param {readonly string[]} group
 * @param {ReadonlyMap<string, readonly string[]>} arrows
 * @returns {string[]}
 */
function circleIn(group, arrows) {
  const start = String(group[0]);
  /** @type {string[][]} */
  let ways = [[start]];
  const visited = new Set();
  while (ways.length > 0) {
    /** @type {string[][]} */
    const longer = [];
    for (const way of ways) {
      for (const target of arrows.get(String(way.at(-1))) ?? []) {
        if (target === start) return [...way, start];
        if (group.includes(target) && !visited.has(target)) {
          visited.add(target);
          longer.push([...way, target]);
        }
      }
    }
    ways = longer;
  }
  return [...group];
}
