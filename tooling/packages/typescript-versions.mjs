// @ts-check
// The TypeScript versions an author may compile with, and Node's newest types, from a cache outside the workspace: more
// compilers in the lock file would make every install longer, and their `tsc` would contend with the workspace's own.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The first whose standard library has what the declarations of zod 4 and the MCP SDK name (`NoInfer`). docs/quickstart.md says it. */
export const OLDEST = "5.4.5";
export const NEWEST = "7.0.2";
/** What CommonJS projects compile with. From 5.8 on `nodenext` lets them `require` ES modules; from 6 on `node10` is gone. */
export const COMMONJS = [OLDEST, "5.5.4", "5.6.3", "5.7.3", "5.8.3", "5.9.3"];
/** What `npm install @types/node` gives an author. The workspace has those of the oldest Node. */
export const NEWEST_NODE_TYPES = "26.6.7";

const CACHE = process.env["WAKESHIFT_TYPESCRIPT_CACHE"] ?? join(homedir(), ".cache", "wakeshift", "typescript");

/**
 * The path of a version's `tsc`, installed where it isn't yet.
 * @param {string} version
 * @returns {string}
 */
export function compilerOf(version) {
  return join(cached(version, `typescript@${version}`, "typescript"), "bin", "tsc");
}

/**
 * The folder a compiler finds {@link NEWEST_NODE_TYPES} in (`typeRoots`), installed where they aren't yet.
 * @returns {string}
 */
export function newestNodeTypes() {
  return dirname(cached(`node-types-${NEWEST_NODE_TYPES}`, `@types/node@${NEWEST_NODE_TYPES}`, "@types/node"));
}

/**
 * @param {string} name of its folder in the cache
 * @param {string} spec what npm installs there
 * @param {string} wanted the package that is then there
 * @returns {string} that package's folder
 */
function cached(name, spec, wanted) {
  const folder = join(CACHE, name);
  const installed = join(folder, "node_modules", wanted);
  if (existsSync(installed)) return installed;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, `.${name}-`));
  const options = ["--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  try {
    execFileSync("npm", ["install", "--prefix", fresh, ...options, spec], {
      cwd: fresh,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 300_000,
    });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another run may have been first.
    if (!existsSync(installed)) throw error;
  }
  return installed;
}
