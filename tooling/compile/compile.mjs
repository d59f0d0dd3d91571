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
  const listed = [];
  let compiled = 0;
  let isListing = false;
  let wasStatus = false;
  const read = (line) => {
    const project = isListing ? /^\s+\* (?:(.+)\/)?tsconfig\.json\s*$/.exec(line) : null;
    if (project !== null) {
      // The outermost file only refers to the others.
      if (project[1] !== undefined) listed.push(project[1]);
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
    const begun = /Building project '(.+?)\/tsconfig\.json'/.exec(line)?.[1];
    const place = begun === undefined ? -1 : listed.findIndex((one) => begun.endsWith(`/${one}`));
    if (place < 0) return;
    if (compiled === 0) say("Compiling (the first time takes a minute or two, later only what changed is compiled):");
    compiled += 1;
    say(`  ${place + 1}/${listed.length} ${listed[place]}`);
  };
  return { read, compiled: () => compiled };
}
