import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { WakeshiftError } from "@wakeshift/protocol";

/** Folders of package runners that are emptied sooner or later, by the runner or by its user. */
const OTHER_CACHES = /[\\/](?:dlx|dlx-[^\\/]+|xfs-[^\\/]+|bunx-[^\\/]+)[\\/]/;
const NPX_CACHE = /^(.*[\\/]_npx[\\/][^\\/]+[\\/]node_modules)[\\/]/;

/**
 * The entry file that hooks may call for years: `main` itself or, if npx keeps it in its cache, that of a copy of all of it in
 * Wakeshift's own folder, made once for each version.
 *
 * @throws WakeshiftError `bad_request` if it is in another package runner's cache, whose layout can't be copied.
 */
export function lastingMain(main: string, version: string, wakeshiftHome: string): string {
  const packages = NPX_CACHE.exec(main)?.[1];
  if (packages !== undefined) return join(copyOf(packages, version, wakeshiftHome), relative(packages, main));
  if (!OTHER_CACHES.test(main)) return main;
  throw new WakeshiftError(
    "bad_request",
    `${main} is in the cache of a package runner, which is emptied one day, and then no hook would work. Install wakeshift (npm install -g wakeshift), then run: wakeshift setup`,
  );
}

/** Removes the copies of other versions. A bridge or helper that still runs one has loaded what it needs, or is restarted. */
export function removeOlderCopies(version: string, wakeshiftHome: string): void {
  const folder = join(wakeshiftHome, "versions");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (name !== version) rmSync(join(folder, name), { recursive: true, force: true });
}

function copyOf(packages: string, version: string, wakeshiftHome: string): string {
  const folder = join(wakeshiftHome, "versions");
  const copy = join(folder, version, "node_modules");
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `${version}.${String(process.pid)}.tmp`);
  try {
    cpSync(packages, join(unfinished, "node_modules"), { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, join(folder, version));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
