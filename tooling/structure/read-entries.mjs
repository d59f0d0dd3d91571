// @ts-check
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * What the packages of a workspace publish beside their root: the keys of `exports` in their package.json.
 * @param {string} root
 * @returns {ReadonlySet<string>}
 */
export function readEntries(root) {
  const packages = join(root, "packages");
  const manifests = existsSync(packages) ? readdirSync(packages).map((name) => join(packages, name, "package.json")) : [];
  return new Set(
    manifests.filter(existsSync).flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(path, "utf8"));
      return Object.keys(exports).map((entry) => name + entry.slice(1));
    }),
  );
}
