// What a command of this checkout needs from the machine, said clearly where it is missing.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { compile } from "./compile/compile.mjs";

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

/** Compiles every package; only what changed. What it is at stands on stderr. */
export async function build() {
  const outcome = await compile(ROOT, { say: (line) => console.error(line), colour: process.stderr.isTTY === true });
  if (outcome === "timeout") stop("Compiling took more than 15 minutes and was stopped. This machine is very busy; run the command again.");
  if (outcome === "errors") stop("The packages don't compile; the errors are above.");
}

/** Prints a sentence to stderr and leaves with 1. */
export function stop(message) {
  console.error(message);
  process.exit(1);
}
