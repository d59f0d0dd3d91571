// Installs pinned packages into a cache outside the workspace, for tests that need more than `npm ci` should bring.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIMIT_MS = 10 * 60_000;

/**
 * Installs what isn't there yet: each set into a folder of its own, `NAME-VERSION` in the cache.
 * @param {{ readonly cache: string, readonly size: string, readonly fail: (message: string) => never }} place `size`: how much a set is
 * @param {readonly { readonly name: string, readonly version: string, readonly specs: readonly string[], readonly proof: string }[]} sets
 *   `proof`: the file below node_modules that shows the set to be there
 */
export async function installOutside(place, sets) {
  const { cache } = place;
  mkdirSync(cache, { recursive: true });
  for (const set of sets) {
    if (!isInstalled(cache, set)) await withLock(place, () => (isInstalled(cache, set) ? undefined : install(place, set)));
  }
}

function isInstalled(cache, { name, version, proof }) {
  return existsSync(join(cache, `${name}-${version}`, "node_modules", proof));
}

/** One install at a time: the lock is a folder that names its owner; one whose owner is gone is taken over. */
async function withLock({ cache, fail }, work) {
  const lock = join(cache, ".lock");
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, "pid"), String(process.pid));
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
      else if (Date.now() > deadline)
        fail(`another install holds ${lock} since ${statSync(lock).mtime.toISOString()}; remove that folder if nothing installs any more`);
      else await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(join(lock, "pid"), "utf8"));
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  } catch {
    // The owner has not written its pid yet, or the lock just went.
    return existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 10_000;
  }
}

function install({ cache, size, fail }, { name, version, specs }) {
  const folder = join(cache, `${name}-${version}`);
  const fresh = mkdtempSync(join(cache, `.${name}-`));
  console.log(`installing ${specs.join(" ")} into ${folder}`);
  const result = spawnSync(
    "npm",
    ["install", "--prefix", fresh, "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", ...specs],
    {
      cwd: fresh,
      encoding: "utf8",
      timeout: LIMIT_MS,
      shell: process.platform === "win32",
    },
  );
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const reason = (result.stderr || result.stdout || String(result.error ?? "timed out")).trim().split("\n").slice(-8).join("\n  ");
    fail(
      `could not install ${specs.join(" ")} from npm, which these tests need once (${size}):\n  ${reason}\nCheck the network and the npm registry (npm ping), or make ${folder} by hand.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}
