import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readStatus } from "@wakeshift/bridge";
import { expect, onTestFinished, test } from "vitest";
import { bridgeProcesses, isRunning, killHard } from "./bridge-support/bridge-processes.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { Subscribed } from "./core-support/core-world.ts";

const CLI = join(import.meta.dirname, "..", "..", "packages", "cli", "dist", "main.js");
/** Stands for Codex: runs the hook as its child for each line on stdin, says so, and goes on living. */
const PROGRAM = `
const { spawnSync } = require("node:child_process");
require("node:readline").createInterface({ input: process.stdin }).on("line", (input) => {
  const { status } = spawnSync(process.execPath, [${JSON.stringify(CLI)}, "hook", "codex", "PostToolUse"], { input });
  console.log("hook " + status);
});
setInterval(() => {}, 1000);`;

interface StandIn {
  readonly child: ChildProcess;
  /** Has the hook of a subscribing tool call run. */
  hook(subscribed: Subscribed): Promise<void>;
}

function startProgram(bridge: BridgeWorld): StandIn {
  const child = spawn(process.execPath, ["-e", PROGRAM], { env: bridge.env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  return {
    child,
    hook: async ({ body }) => {
      const before = said;
      const result = { content: [], _meta: body.addition.meta };
      const input = { session_id: "thread-1", tool_name: "mcp__crawler__start_crawl", tool_response: result, cwd: "/" };
      child.stdin.write(`${JSON.stringify(input)}\n`);
      await until("the hook's end", () => said !== before);
      expect(said.slice(before.length)).toBe("hook 0\n");
    },
  };
}

const watchers = (bridge: BridgeWorld): number[] => bridgeProcesses(bridge.home.folder, "watcher-main");
const locks = (bridge: BridgeWorld): string[] => (existsSync(bridge.home.watchers) ? readdirSync(bridge.home.watchers) : []);

/** The one watcher of this program, once it has its lock. */
async function watcherOf(bridge: BridgeWorld, program: StandIn): Promise<number> {
  await until("the watcher's lock alone", () => locks(bridge).join() === `codex-${String(program.child.pid)}`);
  return until("one watcher", () => watchers(bridge).length === 1 && watchers(bridge)[0]);
}

test("a bridge killed whole while a program is idle is started again; its watcher is one, and ends with the program", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  const program = startProgram(bridge);
  await program.hook(await subscribe(core.app));
  await program.hook(await subscribe(core.app, { arguments: { job: "b" } }));
  const watcher = await watcherOf(bridge, program);
  const before = await bridge.status();
  expect(before.subscriptions).toBe(2);
  process.kill(before.supervisor, "SIGKILL");
  await killHard(before.pid);
  const occurrence = await emit(core.app);
  const pending = await until("the wake at another bridge", async () => {
    const status = await readStatus(bridge.env).catch(() => undefined);
    return status !== undefined && status.pid !== before.pid && status.pending.length > 0 && status.pending;
  });
  expect(pending.map((wake) => wake.occurrence)).toEqual([occurrence]);
  expect(watchers(bridge)).toEqual([watcher]);
  program.child.kill("SIGKILL");
  await until("the watcher's end", () => !isRunning(watcher));
  expect(locks(bridge)).toEqual([]);
});

test("a watcher ends once nothing of its program is subscribed, and starts no bridge after that", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  const program = startProgram(bridge);
  const subscribed = await subscribe(core.app);
  await program.hook(subscribed);
  const watcher = await watcherOf(bridge, program);
  await bridge.call("POST", "/v1/end", { id: subscribed.id });
  await until("the watcher's end", () => !isRunning(watcher));
  expect(isRunning(program.child.pid ?? 0)).toBe(true);
});

test("a watcher that was killed is replaced with the program's next hook, and leaves nothing behind", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  const [one, other] = [startProgram(bridge), startProgram(bridge)];
  await one.hook(await subscribe(core.app));
  const watcher = await watcherOf(bridge, one);
  await killHard(watcher);
  one.child.kill("SIGKILL");
  await other.hook(await subscribe(core.app, { arguments: { job: "b" } }));
  expect(await watcherOf(bridge, other)).not.toBe(watcher);
});
