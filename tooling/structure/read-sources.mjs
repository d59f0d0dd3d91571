// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";

/**
 * @typedef {object} Import
 * @property {string} specifier what stands in the quotes
 * @property {string | undefined} file the file of this workspace it names, from the root, if relative
 * @property {number} line
 */
/**
 * @typedef {object} Source
 * @property {string} path from the workspace root, with forward slashes
 * @property {string} room `packages/core`, `examples/crawler`, `tests`, `tooling` …
 * @property {boolean} test
 * @property {number} lines
 * @property {readonly Import[]} imports
 * @property {ts.SourceFile} tree
 */

const ROOTS = ["packages", "examples", "tests", "tooling", "plugins", "bench", "conformance"];
const SKIPPED = new Set(["node_modules", "dist", "coverage", "fixtures"]);
const SOURCE = /\.(ts|mts|mjs|js)$/;

/**
 * Reads and parses every source file of a workspace.
 * @param {string} root
 * @returns {readonly Source[]}
 */
export function readSources(root) {
  return ROOTS.flatMap((folder) => filesIn(join(root, folder))).map((file) => readSource(root, file));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  /** @type {import("node:fs").Dirent[]} */
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    if (SKIPPED.has(entry.name) || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return SOURCE.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {Source}
 */
function readSource(root, file) {
  const text = readFileSync(file, "utf8");
  const path = slashed(relative(root, file));
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, /\.m?js$/.test(file) ? ts.ScriptKind.JS : ts.ScriptKind.TS);
  return {
    path,
    room: roomOf(path),
    test: /\.test\.[a-z]+$/.test(path) || path.startsWith("tests/"),
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    imports: importsOf(tree, root, file),
    tree,
  };
}

/**
 * Every import, also of types, by `export … from`, `import()` and `import("…")` types.
 * @param {ts.SourceFile} tree
 * @param {string} root
 * @param {string} file
 * @returns {readonly Import[]}
 */
function importsOf(tree, root, file) {
  /** @type {Import[]} */
  const found = [];
  /** @param {ts.Node} node */
  function visit(node) {
    const literal = specifierOf(node);
    if (literal !== undefined) {
      const specifier = literal.text;
      const target = specifier.startsWith(".") ? slashed(relative(root, resolve(dirname(file), specifier))) : undefined;
      found.push({ specifier, file: target, line: tree.getLineAndCharacterOfPosition(literal.getStart()).line + 1 });
    }
    ts.forEachChild(node, visit);
  }
  visit(tree);
  return found;
}

/**
 * @param {ts.Node} node
 * @returns {ts.StringLiteralLike | undefined}
 */
function specifierOf(node) {
  /** @type {ts.Node | undefined} */
  let specifier;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) specifier = node.arguments[0];
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) specifier = node.argument.literal;
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier : undefined;
}

/**
 * @param {string} path
 * @returns {string}
 */
function roomOf(path) {
  const parts = path.split("/");
  return parts[0] === "packages" || parts[0] === "examples" ? parts.slice(0, 2).join("/") : String(parts[0]);
}

/**
 * @param {string} path
 * @returns {string}
 */
function slashed(path) {
  return path.split(sep).join("/");
}
