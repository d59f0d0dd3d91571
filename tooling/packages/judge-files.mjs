// @ts-check
/**
 * @typedef {object} Packed
 * @property {string} name
 * @property {number} unpackedSize bytes
 * @property {readonly { path: string }[]} files
 */

/** What no package may carry. */
const FOREIGN = [
  { pattern: /\.test\./, what: "a test" },
  { pattern: /(^|\/)(src|fixtures)\//, what: "source or test data" },
  { pattern: /tsbuildinfo$/, what: "the compiler's notes" },
  { pattern: /\.map$/, what: "a map to sources that are not published" },
  { pattern: /(^|\/)(\.env|.*\.(db|sqlite|pem|key))$/, what: "data or a secret" },
];

/**
 * Judges what would be published.
 * @param {Packed} packed
 * @param {Readonly<Record<string, number>>} ceilings
 * @returns {string[]} faults, none if all is well
 */
export function judgeFiles(packed, ceilings) {
  const faults = [];
  const ceiling = ceilings[packed.name];
  if (ceiling === undefined)
    faults.push(`has no byte ceiling. Give it one in tooling/packages/ceilings.mjs; it has ${packed.unpackedSize} bytes now.`);
  else if (packed.unpackedSize > ceiling) {
    faults.push(
      `has ${packed.unpackedSize} bytes; ${ceiling} are the most. Take out what nobody needs, or raise the ceiling in tooling/packages/ceilings.mjs and say why.`,
    );
  }
  for (const { path } of packed.files) {
    const foreign = FOREIGN.find(({ pattern }) => pattern.test(path));
    if (foreign !== undefined) faults.push(`would publish ${path}, which is ${foreign.what}. Correct "files" in its package.json.`);
  }
  for (const needed of ["LICENSE", "README.md"])
    if (!packed.files.some(({ path }) => path === needed)) faults.push(`has no ${needed}. Put one into its folder.`);
  if (!packed.files.some(({ path }) => path.startsWith("dist/"))) faults.push("holds nothing of dist/. Build before packing: npx tsc -b");
  return faults;
}
