// @ts-check
/**
 * Whose declarations a compiler read beside our own, the standard library's and Node's. An author who imports the SDK must need
 * nobody else's types.
 * @param {string} listing what `tsc --listFiles` printed
 * @returns {readonly string[]} names of packages
 */
export function foreignPackages(listing) {
  const names = listing
    .split("\n")
    .flatMap((line) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(line.trim().replaceAll("\\", "/"))?.[1] ?? []);
  return [...new Set(names)].filter((name) => !OWN.has(name)).sort();
}

const OWN = new Set(["@wakeshift/sdk", "@wakeshift/protocol", "typescript", "@types/node", "undici-types"]);
