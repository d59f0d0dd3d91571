// What a command of this checkout needs from the machine, said clearly where it is missing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const LEAST = [20, 20];

/** Leaves with a sentence where Node is too old, dependencies are missing, or the SQLite binding doesn't load. */
export function checkMachine() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
    stop(
      `Wakeshift needs Node.js ${LEAST.join(".")} or newer; this is ${process.versions.node}. Install a newer one and run the command again.`,
    );
  }
  if (!existsSync(`${ROOT}/node_modules`)) stop("The dependencies aren't installed. Run: npm ci");
  const require = createRequire(new URL("../packages/core/package.json", import.meta.url));
  try {
    const Database = require("better-sqlite3");
    new Database(":memory:").close();
  } catch (error) {
    stop(
      `The SQLite binding (better-sqlite3) doesn't load: ${String(error?.message ?? error).split("\n")[0]}\n` +
        "There is no prebuilt one for this platform, so npm has to compile it: install a C++ compiler, make and Python 3\n" +
        "(Debian, Ubuntu: apt-get install build-essential python3; macOS: xcode-select --install), then run: npm rebuild better-sqlite3",
    );
  }
}

/** Compiles every package; only what changed. */
export function build() {
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const { status, error } = spawnSync(process.execPath, [tsc, "-b"], { cwd: ROOT, stdio: "inherit", timeout: 900_000 });
  if (error?.code === "ETIMEDOUT")
    stop("Compiling took more than 15 minutes and was stopped. This machine is very busy; run the command again.");
  if (error !== undefined) stop(`The compiler can't be started: ${error.message}`);
  if (status !== 0) stop("The packages don't compile; the errors are above.");
}

/** Prints a sentence to stderr and leaves with 1. */
export function stop(message) {
  console.error(message);
  process.exit(1);
}
