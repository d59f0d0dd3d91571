// npm start: a core and the example server, one proven wake, and what to do next.
// --help names its options.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { build, checkMachine, ROOT } from "./machine.mjs";

const USAGE = `npm start [-- OPTIONS]
  --port N       the core's port (4870; 0: a free one)
  --mcp-port N   the example server's port (4871; 0: a free one)
  --once         prove the way on free ports and throw-away data, and leave
Data lies in WAKESHIFT_HOME. A second one beside it: WAKESHIFT_HOME=FOLDER npm start -- --port N --mcp-port N`;

const values = readOptions();

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: "boolean", default: false },
        port: { type: "string" },
        "mcp-port": { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    for (const name of ["port", "mcp-port"])
      if (values[name] !== undefined && !(/^\d+$/.test(values[name]) && Number(values[name]) < 65_536))
        throw new Error(`--${name} takes a number from 0 to 65535.`);
    if (!values.help) return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(1);
  }
  console.log(USAGE);
  process.exit(0);
}

const port = values.port ?? (values.once ? "0" : "4870");
const mcpPort = values["mcp-port"] ?? (values.once ? "0" : "4871");
const throwAway = values.once ? mkdtempSync(join(tmpdir(), "wakeshift-")) : undefined;
const env = throwAway === undefined ? process.env : { ...process.env, WAKESHIFT_HOME: throwAway };

checkMachine();
await build();

const children = new Set();
let leaving = false;
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void leave(0));
// npm passes SIGTERM on to the shell it started this with, and to nothing else: the shell dies of it, and this would go on.
const shell = process.ppid;
if (process.env.npm_lifecycle_script?.includes("start.mjs"))
  setInterval(() => {
    if (process.ppid !== shell) void leave(0);
  }, 500).unref();

const core = await startCore();
const mcpUrl = await startExample(core);
const proof = await prove(core, mcpUrl);
console.log(`Proven: a tool call subscribed in ${proof.subscribed_ms} ms, and one emit came back as a wake ${proof.woken_ms} ms later.`);
if (values.once) await leave(0);
sayWhatNext();

/** Starts `wakeshift dev` and resolves with what it printed once it was ready. */
async function startCore() {
  const child = start("core", ["packages/cli/dist/main.js", "dev", "--port", port, "--json"], env);
  const line = await firstLine(child, "core");
  const ready = JSON.parse(line);
  if (ready.error !== undefined) {
    // `wakeshift dev` has an option for its folder; here it is the environment's.
    console.error(`The core didn't start: ${ready.error.message.replaceAll("--data", "WAKESHIFT_HOME")}`);
    console.error(`\nOf npm start:\n${USAGE}`);
    await leave(1);
  }
  console.log(`Core listening on ${ready.url}, data in ${ready.data}`);
  return ready;
}

async function startExample({ url, key_file: keyFile }) {
  const child = start("example", ["examples/crawler/dist/main.js"], {
    ...env,
    PORT: mcpPort,
    WAKESHIFT_CORE: url,
    WAKESHIFT_KEY: readFileSync(keyFile, "utf8").trim(),
  });
  const line = await firstLine(child, "example");
  console.log(`Example MCP server: ${line}`);
  return line.split(" ").at(-1);
}

async function prove({ url, key_file: keyFile }, address) {
  const child = start("proof", ["examples/crawler/dist/prove.js", address], {
    ...env,
    WAKESHIFT_CORE: url,
    WAKESHIFT_KEY: readFileSync(keyFile, "utf8").trim(),
  });
  return JSON.parse(await firstLine(child, "proof"));
}

function start(name, args, env) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.once("exit", (code, signal) => {
    children.delete(child);
    if (leaving || (name === "proof" && code === 0)) return;
    console.error(`The ${name} ended (${signal ?? `exit code ${code}`}); its reason is above.`);
    void leave(1);
  });
  return child;
}

/** The first line a child prints; what follows is passed on. A child that stays silent is reported. */
function firstLine(child, name) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      console.error(`The ${name} said nothing for 30 seconds.`);
      void leave(1);
    }, 30_000);
    let first = true;
    createInterface({ input: child.stdout }).on("line", (line) => {
      clearTimeout(timer);
      if (first) resolve(line);
      else console.log(line);
      first = false;
    });
  });
}

async function leave(code) {
  if (leaving) return;
  leaving = true;
  const left = [...children].map((child) => once(child, "exit"));
  for (const child of children) child.kill("SIGTERM");
  if (!values.once) console.log("Stopping …");
  const force = setTimeout(() => {
    for (const child of children) child.kill("SIGKILL");
  }, 5_000);
  await Promise.all(left);
  clearTimeout(force);
  if (throwAway !== undefined) rmSync(throwAway, { recursive: true, force: true });
  process.exit(code);
}

function sayWhatNext() {
  console.log(`
Wake your own agent now, in a second terminal:

  1. npx wakeshift setup                       connects Codex, Claude Code, opencode (asks first; --remove undoes it)
  2. Add this MCP server to your program:      ${mcpUrl}
       Codex:        codex mcp add crawler --url ${mcpUrl}
       Claude Code:  claude mcp add --scope user --transport http crawler ${mcpUrl}
       opencode:     under "mcp" in ~/.config/opencode/opencode.json: "crawler": { "type": "remote", "url": "${mcpUrl}" }
  3. Tell the agent:                           Watch crawl demo with the crawler's watch_crawl tool, then stop.
  4. npx wakeshift emit crawl.finished --args '{"job":"demo"}' --payload '{"status":"done"}'${port === "4870" ? "" : ` --core ${core.url}`}

The conversation gets a new turn. If it doesn't: npx wakeshift doctor
Ctrl-C stops both servers; what was accepted stays on disk.`);
}
