// @ts-check
/** @typedef {import("./read-sources.mjs").Source} Source */
/**
 * @typedef {object} Finding
 * @property {"error" | "warning"} level
 * @property {string} place a path, or path:line
 * @property {string} message what is wrong, and what to do instead
 */

/** Which packages a room may import. Arrows go down only: a new one is a decision, made here. */
export const ARROWS = /** @type {Readonly<Record<string, readonly string[]>>} */ ({
  "packages/protocol": [],
  "packages/sdk": ["@wakeshift/protocol"],
  "packages/core": ["@wakeshift/protocol"],
  "packages/bridge": ["@wakeshift/protocol"],
  "packages/cli": ["@wakeshift/protocol", "@wakeshift/sdk", "@wakeshift/core", "@wakeshift/bridge"],
  "examples/crawler": ["@wakeshift/sdk", "@wakeshift/protocol"],
  plugins: [],
});

/** These run the product from outside, and may import the entry of every package. */
const OUTSIDERS = new Set(["tests", "tooling", "bench", "conformance"]);

const OURS = /^(?:@wakeshift\/[a-z]+|wakeshift)(?=\/|$)/;

/**
 * Arrows between rooms, and who looks into another's inside.
 * @param {readonly Source[]} sources
 * @param {ReadonlySet<string>} entries what packages publish beside their root, such as `@wakeshift/sdk/tools`
 * @returns {Finding[]}
 */
export function checkRooms(sources, entries) {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ specifier, file, line }) => {
      const message = file === undefined ? faultOfPackage(source, specifier, entries) : faultOfPath(source, file, specifier);
      return message === undefined ? [] : [/** @type {Finding} */ ({ level: "error", place: `${source.path}:${line}`, message })];
    }),
  );
}

/**
 * @param {Source} source
 * @param {string} specifier
 * @param {ReadonlySet<string>} entries
 * @returns {string | undefined}
 */
function faultOfPackage(source, specifier, entries) {
  const name = OURS.exec(specifier)?.[0];
  if (name === undefined) return undefined;
  if (specifier !== name && !entries.has(specifier)) {
    return `imports the inside of ${name} (${specifier}). Import ${name} itself; what it doesn't export is private: export it there by name, or move the code.`;
  }
  if (OUTSIDERS.has(source.room)) return undefined;
  const allowed = ARROWS[source.room];
  if (allowed === undefined) return `${source.room} is a new room. Say in tooling/structure/rooms.mjs what it may import.`;
  if (allowed.includes(name)) return undefined;
  return `${source.room} may not import ${name}: arrows go down only (${source.room} may import: ${allowed.join(", ") || "nothing of ours"}). Move the shared part down to @wakeshift/protocol, or pass it in.`;
}

/**
 * @param {Source} source
 * @param {string} file
 * @param {string} specifier
 * @returns {string | undefined}
 */
function faultOfPath(source, file, specifier) {
  const home = `${source.room}/`;
  if (file.startsWith(home) || file === source.room) return undefined;
  if (/^(spec|vectors)\//.test(file) || file === "package.json") return undefined;
  if (OUTSIDERS.has(source.room) && !/^packages\/[^/]+\/src\//.test(file)) return undefined;
  return `reaches out of ${source.room} by ${specifier}. Import the other package by its name, never by a path into it.`;
}
