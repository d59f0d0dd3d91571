// Installs pinned packages into a cache outside the workspace, for tests that need more than `npm ci` should bring.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const LIMIT_MS = 10 * 60_000;
const PROOF_LIMIT_MS = 60_000;

/**
 * @typedef {object} InstallSet
 * @property {string} name
 * @property {string} version
 * @property {readonly string[]} specs what npm installs
 * @property {readonly string[]} [scripts] packages whose install scripts have to run; without any, no scripts run
 * @property {readonly string[]} proof a command of the set, or of this machine, that exits with 0 if the set works
 */
/**
 * Installs what isn't there or doesn't work: each set into its own folder `NAME-VERSION` in the cache. A set counts as installed only
 * once its proof has run, so a half-installed one is installed again.
 * @param {{ readonly cache: string, readonly size: string, readonly fail: (message: string) => never }} place `size`: how much a set is
 * @param {readonly InstallSet[]} sets
 */
export async function installOutside(place, sets) {
  const { cache } = place;
  mkdirSync(cache, { recursive: true });
  const isInstalled = (set) => {
    const folder = join(cache, `${set.name}-${set.version}`);
    return existsSync(folder) && faultOf(folder, set) === undefined;
  };
  for (const set of sets) {
    if (!isInstalled(set)) await withLock(place, () => (isInstalled(set) ? undefined : install(place, set)));
  }
}

/** The reason why a set in `folder` doesn't work. Its proof runs with a home of its own: programs write into theirs at each start. */
function faultOf(folder, { proof }) {
  const [command = "", ...args] = proof;
  const home = mkdtempSync(join(tmpdir(), "wakeshift-proof-"));
  const xdg = ["CONFIG", "DATA", "CACHE", "STATE"].map((kind) => [`XDG_${kind}_HOME`, join(home, kind.toLowerCase())]);
  const path = [join(folder, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...Object.fromEntries(xdg), HOME: home, PATH: path },
    encoding: "utf8",
    timeout: PROOF_LIMIT_MS,
    shell: process.platform === "win32",
  });
  rmSync(home, { recursive: true, force: true });
  return status === 0 ? undefined : reasonIn(stderr || stdout || String(error ?? "it printed nothing"));
}

/** The line that a program or npm gives as the error, with those after it; else the last ones. */
function reasonIn(text) {
  const lines = text.trim().split("\n");
  const error = lines.findIndex((line) => /error/i.test(line));
  return lines
    .slice(error < 0 ? -8 : error)
    .slice(0, 8)
    .join("\n  ");
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

function install({ cache, size, fail }, set) {
  const { name, version, specs, scripts = [], proof } = set;
  const folder = join(cache, `${name}-${version}`);
  const fresh = mkdtempSync(join(cache, `.${name}-`));
  const giveUp = (message) => {
    rmSync(fresh, { recursive: true, force: true });
    return fail(message);
  };
  // An npm that asks before it runs install scripts reads here which ones may.
  const allowScripts = Object.fromEntries(scripts.map((script) => [script, true]));
  writeFileSync(join(fresh, "package.json"), JSON.stringify({ private: true, allowScripts }));
  console.log(`installing ${specs.join(" ")} into ${folder}`);
  const options = [
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--loglevel=error",
    ...(scripts.length === 0 ? ["--ignore-scripts"] : []),
  ];
  const { status, stdout, stderr, error } = spawnSync("npm", ["install", "--prefix", fresh, ...options, ...specs], {
    cwd: fresh,
    encoding: "utf8",
    timeout: LIMIT_MS,
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    giveUp(
      `could not install ${specs.join(" ")} from npm, which these tests need once (${size}):\n  ${reasonIn(stderr || stdout || String(error ?? "timed out"))}\nCheck the network and the npm registry (npm ping), or make ${folder} by hand.`,
    );
  }
  const fault = faultOf(fresh, set);
  if (fault !== undefined) {
    giveUp(
      `${specs.join(" ")} was installed, but \`${proof.join(" ")}\` fails in it:\n  ${fault}\nIf npm is set to ignore install scripts (npm config get ignore-scripts), allow them for this command.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}
