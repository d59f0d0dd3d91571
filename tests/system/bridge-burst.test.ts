import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { readStatus, startBridge } from "@wakeshift/bridge";
import { expect, onTestFinished, test } from "vitest";
import { startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import { bridgeProcesses } from "./bridge-support/bridge-processes.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";

const CLI = join(import.meta.dirname, "../../packages/cli/dist/main.js");
const ROUNDS = 3;
const AT_ONCE = 5;

/** A process that is there for its id, or to keep the machine busy. */
function other(script: string): ChildProcess {
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null ? new Promise((resolve) => child.once("exit", resolve)) : Promise.resolve();

/** Claude Code calls its hook after a tool call that subscribed, and then writes the line about it into its transcript. */
async function hookAfterCall(core: CoreWorld, { env, home }: BridgeWorld, program: ChildProcess, call: string): Promise<ChildProcess> {
  const subscribed = await subscribe(core.app, { arguments: { job: call } });
  const transcript = join(home.folder, "transcript.jsonl");
  const hook = spawn(process.execPath, [CLI, "hook", "claude-code", "PostToolUse"], {
    env: { ...env, CLAUDE_PID: String(program.pid), CLAUDE_CODE_SESSION_ATTENDED: "1", CLAUDE_CODE_ENTRYPOINT: "cli" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void hook.kill("SIGKILL"));
  const input = { session_id: "session-1", transcript_path: transcript, cwd: home.folder, hook_event_name: "PostToolUse" };
  hook.stdin.end(JSON.stringify({ ...input, tool_name: "mcp__crawler__start_crawl", tool_use_id: call }));
  const content = [{ type: "tool_result", tool_use_id: call, content: [{ type: "text", text: "started" }] }];
  const line = { type: "user", message: { role: "user", content }, mcpMeta: { _meta: subscribed.body.addition.meta } };
  appendFileSync(transcript, `${JSON.stringify(line)}\n`);
  return hook;
}

const kept = async ({ env }: BridgeWorld): Promise<number | undefined> => (await readStatus(env).catch(() => undefined))?.subscriptions;

test("of hooks that come at once on a busy machine without a bridge, every report is kept", { timeout: 400_000 }, async () => {
  const core = await startWorld();
  for (let count = 0; count < 2; count += 1) other("for (;;) {}");
  for (let round = 0; round < ROUNDS; round += 1) {
    const bridge = await startBridgeWorld({ core, idle: true });
    const program = other("setInterval(() => {}, 1000)");
    const hooks = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, place) => hookAfterCall(core, bridge, program, `toolu_${round}_${place}`)),
    );
    await until(`${AT_ONCE} subscriptions`, async () => (await kept(bridge)) === AT_ONCE, 90_000);
    program.kill("SIGKILL");
    await Promise.all(hooks.map(ended));
    expect(hooks.map((hook) => hook.exitCode)).toEqual(Array.from({ length: AT_ONCE }, () => 0));
  }
});

test("a hook that is ended while it waits for a bridge to start has lost nothing", { timeout: 120_000 }, async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core, idle: true });
  const program = other("setInterval(() => {}, 1000)");
  const hook = await hookAfterCall(core, bridge, program, "toolu_1");
  await until("the start of a bridge", () => existsSync(bridge.home.supervisorLock));
  hook.kill("SIGKILL");
  for (const main of ["supervisor-main", "worker-main"] as const)
    for (const pid of bridgeProcesses(bridge.home.folder, main)) process.kill(pid, "SIGKILL");
  await ended(hook);
  await startBridge(bridge.env);
  await until("its subscription", async () => (await kept(bridge)) === 1);
});
