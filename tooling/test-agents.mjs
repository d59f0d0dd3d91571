// Runs the tests that drive the real agent programs (tests/agents), offline against the scripted model.
// Installs the pinned programs first, into a cache outside the workspace. Arguments are passed on to vitest.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const CACHE = process.env.WAKESHIFT_AGENT_CACHE ?? join(homedir(), ".cache", "wakeshift", "agents");
// Keep in step with tests/agents/support/agent-programs.ts.
const PROGRAMS = [
  { name: "codex", version: "0.171.0", spec: "@openai/codex@0.171.0", command: "codex" },
  { name: "claude-code", version: "2.1.332", spec: "@anthropic-ai/claude-code@2.1.332", command: "claude" },
  { name: "opencode", version: "1.18.33", spec: "opencode-ai@1.18.33", command: "opencode" },
];
const INSTALL_LIMIT_MS = 10 * 60_000;
const RUN_LIMIT_MS = 30 * 60_000;

function isInstalled(program) {
  return existsSync(join(CACHE, `${program.name}-${program.version}`, "node_modules", ".bin", program.command));
}

/** One install at a time: the lock is a folder that names its owner; one whose owner is gone is taken over. */
async function withLock(work) {
  const lock = join(CACHE, ".lock");
  const deadline = Date.now() + INSTALL_LIMIT_MS;
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

function install(program) {
  const folder = join(CACHE, `${program.name}-${program.version}`);
  const fresh = mkdtempSync(join(CACHE, `.${program.name}-`));
  console.log(`installing ${program.spec} into ${folder}`);
  const result = spawnSync(
    "npm",
    ["install", "--prefix", fresh, "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", program.spec],
    {
      cwd: fresh,
      encoding: "utf8",
      timeout: INSTALL_LIMIT_MS,
      shell: process.platform === "win32",
    },
  );
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const reason = (result.stderr || result.stdout || String(result.error ?? "timed out")).trim().split("\n").slice(-8).join("\n  ");
    fail(
      `could not install ${program.spec} from npm, which these tests need once (about 400-850 MB each):\n  ${reason}\nCheck the network and the npm registry (npm ping), or set WAKESHIFT_AGENT_CACHE to a folder that holds ${program.name}-${program.version}.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

function fail(message) {
  console.error(`test:agents: ${message}`);
  process.exit(1);
}

function checkBuilt() {
  for (const file of ["packages/cli/dist/main.js", "examples/crawler/dist/main.js"]) {
    if (!existsSync(join(ROOT, file))) fail(`${file} is missing: run \`npm run build\` first`);
  }
}

function runTests(latencies) {
  return new Promise((resolve) => {
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", "--config", "vitest.agents.config.ts", ...process.argv.slice(2)], {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, WAKESHIFT_AGENT_CACHE: CACHE, WAKESHIFT_LATENCY_FILE: latencies },
    });
    const timer = setTimeout(() => {
      console.error(`test:agents: stopped after ${RUN_LIMIT_MS / 60_000} minutes`);
      child.kill("SIGTERM");
    }, RUN_LIMIT_MS);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}

function printLatencies(file) {
  if (!existsSync(file)) return;
  const measured = new Map();
  for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const { program, way, ms } = JSON.parse(line);
    const key = `${program} (${way})`;
    measured.set(key, [...(measured.get(key) ?? []), ms]);
  }
  if (measured.size === 0) return;
  console.log("\nwake latency, emit to the model's next request (median of the wakes measured):");
  for (const [key, values] of [...measured].sort()) {
    const sorted = values.sort((a, b) => a - b);
    console.log(`  ${key.padEnd(44)} ${String(sorted[Math.floor(sorted.length / 2)]).padStart(6)} ms   (n=${sorted.length})`);
  }
}

mkdirSync(CACHE, { recursive: true });
for (const program of PROGRAMS) {
  if (!isInstalled(program)) await withLock(() => (isInstalled(program) ? undefined : install(program)));
}
checkBuilt();
const scratch = mkdtempSync(join(tmpdir(), "wakeshift-agents-"));
const latencies = join(scratch, "latencies.ndjson");
const code = await runTests(latencies);
printLatencies(latencies);
rmSync(scratch, { recursive: true, force: true });
process.exit(code);
