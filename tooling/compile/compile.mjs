import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
/** What `tsc -b --verbose` says of its own work begins with the time; errors don't. */
const STATUS = /^\[?\d{1,2}:\d\d:\d\d [AP]M/;

/**
 * Compiles the projects that `folder`'s tsconfig.json refers to, only what changed, and says which one it is at. Where
 * nothing changed it says nothing.
 *
 * @param {string} folder
 * @param {{ say: (line: string) => void, colour?: boolean, timeoutMs?: number }} options `say` gets the progress and the
 *   compiler's errors, line by line
 * @returns {Promise<"compiled" | "errors" | "timeout">}
 */
export async function compile(folder, { say, colour = false, timeoutMs = 900_000 }) {
  const began = performance.now();
  const child = spawn(process.execPath, [TSC, "-b", "--verbose", "--pretty", String(colour)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const progress = createProgress(say);
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => progress.read(line));
  const closed = new Promise((resolve) => lines.once("close", resolve));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  await closed;
  if (timedOut) return "timeout";
  if (code !== 0) return "errors";
  if (progress.compiled() > 0) say(`Compiled in ${Math.round((performance.now() - began) / 1000)} s.`);
  return "compiled";
}

/** Turns what the compiler prints into progress: each project as it is begun, errors as they are, nothing else. */
function createProgress(say) {
  let total = 0;
  let compiled = 0;
  let isListing = false;
  let wasStatus = false;
  const read = (line) => {
    if (isListing && /^\s+\* /.test(line)) {
      // The outermost file only refers to the others.
      if (!/^\s+\* tsconfig\.json$/.test(line)) total += 1;
      return;
    }
    isListing = false;
    // An empty line closes what is said of the work; others belong to the errors.
    if (line === "" && wasStatus) return;
    wasStatus = STATUS.test(stripVTControlCharacters(line));
    if (!wasStatus) {
      say(line);
      return;
    }
    isListing = line.includes("Projects in this build");
    const project = /Building project '(.+?)(?:\/tsconfig\.json)?'/.exec(line)?.[1];
    if (project === undefined) return;
    if (compiled === 0) say("Compiling (the first time takes a minute or two, later only what changed is compiled):");
    compiled += 1;
    say(`  ${compiled}/${total} ${relativeTo(project)}`);
  };
  return { read, compiled: () => compiled };
}

/** The last two folders tell a project. */
function relativeTo(project) {
  return project.split("/").slice(-2).join("/");
}
