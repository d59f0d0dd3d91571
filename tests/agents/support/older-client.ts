import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Started } from "./processes.ts";
import { agentCache } from "./agent-programs.ts";
import { isAlive } from "./processes.ts";
import { waitUntil } from "./wait-until.ts";

/** The published package, written before this project's core and used as it is. */
const PACKAGE = "wakeshift==0.3.0";
const SERVER = join(import.meta.dirname, "..", "older-client", "server.py");
const INSTALL_MS = 180_000;

/** The Python that has the package, installed once into the cache. Fails with what this machine lacks. */
export async function olderClientPython(): Promise<string> {
  const folder = join(dirname(agentCache()), "python-0.3.0");
  const python = join(folder, "venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const marker = join(folder, "complete");
  if (existsSync(marker)) return python;
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, "lock");
  await waitUntil(`another install to leave ${lock}`, () => existsSync(marker) || takeLock(lock), INSTALL_MS);
  try {
    if (!existsSync(marker)) install(folder, python, marker);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return python;
}

function install(folder: string, python: string, marker: string): void {
  const base = process.env["WAKESHIFT_PYTHON"] ?? "python3";
  let version: string;
  try {
    version = execFileSync(base, ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error(
      `these tests need Python 3.10 or newer as \`${base}\`, which can't be run; install it, or name another in WAKESHIFT_PYTHON`,
    );
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 3 || (major === 3 && minor < 10))
    throw new Error(`these tests need Python 3.10 or newer; \`${base}\` is ${version}. Name a newer one in WAKESHIFT_PYTHON`);
  rmSync(join(folder, "venv"), { recursive: true, force: true });
  try {
    execFileSync(base, ["-m", "venv", join(folder, "venv")], { stdio: "pipe", timeout: INSTALL_MS });
    execFileSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE], {
      stdio: "pipe",
      timeout: INSTALL_MS,
    });
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error)
      .trim()
      .split("\n")
      .slice(-6)
      .join("\n  ");
    throw new Error(`could not install ${PACKAGE} into ${folder} (needs Python's venv and pip, and PyPI or its mirror):\n  ${said}`, {
      cause: error,
    });
  }
  writeFileSync(marker, `${PACKAGE}\n`);
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, "pid"), String(process.pid));
    return true;
  } catch {
    const owner = readOwner(lock);
    if (owner !== undefined && !isAlive(owner)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function readOwner(lock: string): number | undefined {
  try {
    return Number(readFileSync(join(lock, "pid"), "utf8"));
  } catch {
    return undefined;
  }
}

export interface OlderServer {
  /** Its MCP address. */
  readonly url: string;
  readonly started: Started;
}

/** What the server needs of its surroundings: a core, and somebody who starts (and ends) processes. */
export interface OlderSurroundings {
  readonly core: string;
  run(command: string, args: readonly string[], options: { readonly env: NodeJS.ProcessEnv }): Started;
}

/** Starts the example server on the published package, for the app with this key. */
export async function startOlderServer(
  { core, run }: OlderSurroundings,
  key: string,
  options: { readonly stateless?: boolean } = {},
): Promise<OlderServer> {
  const python = await olderClientPython();
  const env = { WAKESHIFT_KEY: key, WAKESHIFT_CORE: core, PYTHONDONTWRITEBYTECODE: "1", STATELESS: options.stateless === true ? "1" : "0" };
  const started = run(python, [SERVER], { env });
  const url = await waitUntil("the server on the published package", () => {
    if (started.child.exitCode !== null) throw new Error(`it ended: ${started.stdout}${started.stderr}`);
    return /listening on (\S+)/.exec(started.stdout)?.[1];
  });
  return { url, started };
}
