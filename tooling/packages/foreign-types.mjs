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

// Node's own types name the module "buffer", for which a package of that name is found where some tool has brought it.
const OWN = new Set(["buffer", "@wakeshift/sdk", "@wakeshift/protocol", "typescript", "@types/node", "undici-types"]);
