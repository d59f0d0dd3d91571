// @ts-check
// The TypeScript versions an author may compile with, from a cache outside the workspace: two more compilers in the lock file
// would make every install longer, and their `tsc` would contend with the workspace's own.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The first whose standard library has what the declarations of zod 4 and the MCP SDK name (`NoInfer`). docs/quickstart.md says it. */
export const OLDEST = "5.4.5";
export const NEWEST = "7.0.2";

const CACHE = process.env["WAKESHIFT_TYPESCRIPT_CACHE"] ?? join(homedir(), ".cache", "wakeshift", "typescript");

/**
 * The path of a version's `tsc`, installed where it isn't yet.
 * @param {string} version
 * @returns {string}
 */
export function compilerOf(version) {
  const folder = join(CACHE, version);
  const tsc = join(folder, "node_modules", "typescript", "bin", "tsc");
  if (existsSync(tsc)) return tsc;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, `.${version}-`));
  const options = ["--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  try {
    execFileSync("npm", ["install", "--prefix", fresh, ...options, `typescript@${version}`], {
      cwd: fresh,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 300_000,
    });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another run may have been first.
    if (!existsSync(tsc)) throw error;
  }
  return tsc;
}
