import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { BUILT } from "./cli-support/cli-world.ts";

interface Started {
  readonly npm: ChildProcess;
  readonly url: string;
  /** The core's own process. */
  readonly pid: number;
}

/** Runs the command by npm in a project that has it installed. */
async function runByNpm(command: readonly [string, ...string[]]): Promise<Started> {
  const project = mkdtempSync(join(tmpdir(), "wakeshift-npx-"));
  mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
  symlinkSync(BUILT, join(project, "node_modules", ".bin", "wakeshift"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", version: "1.0.0", scripts: { core: "wakeshift serve" } }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: project,
    WAKESHIFT_HOME: join(project, "home"),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  const [program, ...args] = command;
  const npm = spawn(program, [...args, "--port", "0"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  npm.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ready = new Promise<Started>((resolve) => {
    createInterface({ input: npm.stdout }).on("line", (line) => {
      if (line.startsWith("{")) resolve({ npm, ...(JSON.parse(line) as { url: string; pid: number }) });
    });
  });
  const ended = new Promise<never>((_resolve, reject) => npm.once("exit", () => reject(new Error(`npm ended: ${stderr}`))));
  ended.catch(() => undefined);
  const started = await Promise.race([ready, ended]);
  onTestFinished(() => {
    if (isAlive(started.pid)) process.kill(started.pid, "SIGKILL");
    rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  });
  return started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform === "win32").each<[string, readonly [string, ...string[]]]>([
  ["npx wakeshift serve", ["npx", "wakeshift", "serve"]],
  ["npm run with a script that serves", ["npm", "run", "core", "--"]],
])("SIGTERM to `%s` ends the core, and frees its port and data", { timeout: 120_000 }, async (_what, command) => {
  const { npm, url, pid } = await runByNpm(command);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  npm.kill("SIGTERM");
  await expect.poll(() => isAlive(pid), { timeout: 60_000, interval: 100 }).toBe(false);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
