// Runs the tests that drive the real agent programs (tests/agents), offline against the scripted model.
// Installs the pinned programs first, into a cache outside the workspace; with --install-only it ends there.
// Other arguments are passed on to vitest.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { installOutside } from "./install-outside.mjs";

const ROOT = join(import.meta.dirname, "..");
const CACHE = process.env.WAKESHIFT_AGENT_CACHE ?? join(homedir(), ".cache", "wakeshift", "agents");
// Keep in step with tests/agents/support/agent-programs.ts.
const PROGRAMS = [
  { name: "codex", version: "0.171.0", package: "@openai/codex", command: "codex" },
  { name: "claude-code", version: "2.1.332", package: "@anthropic-ai/claude-code", command: "claude" },
  { name: "opencode", version: "1.18.33", package: "opencode-ai", command: "opencode" },
];
const RUN_LIMIT_MS = 30 * 60_000;

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

await installOutside(
  { cache: CACHE, size: "about 400-850 MB each", fail },
  PROGRAMS.map(({ name, version, package: own, command }) => ({
    name,
    version,
    specs: [`${own}@${version}`],
    // Claude Code's and opencode's put the program for this machine in its place.
    scripts: [own],
    proof: [command, "--version"],
  })),
);
if (process.argv.includes("--install-only")) process.exit(0);
checkBuilt();
const scratch = mkdtempSync(join(tmpdir(), "wakeshift-agents-"));
const latencies = join(scratch, "latencies.ndjson");
const code = await runTests(latencies);
printLatencies(latencies);
rmSync(scratch, { recursive: true, force: true });
process.exit(code);
