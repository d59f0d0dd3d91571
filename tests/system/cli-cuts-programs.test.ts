import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { until } from "./bridge-support/bridge-world.ts";
import { cutWorld, type CutWorld } from "./cli-support/cut-world.ts";
import { scriptedCodex } from "./cli-support/scripted-codex.ts";
import type { AppClient } from "./core-support/core-client.ts";
import { subscribe } from "./core-support/core-world.ts";

// The rows of the cuts' table in which Codex or opencode is told otherwise than Claude Code, by hooks and plugin as these run them.

const SCRIPTED_OPENCODE = fileURLToPath(new URL("./cli-support/scripted-opencode.mjs", import.meta.url));

const THREAD = "019f0000-0000-7000-8000-000000000001";

interface Machine {
  readonly world: CutWorld;
  readonly app: AppClient;
  readonly setUp: () => Promise<unknown>;
  /** A tool subscribes, and the program runs what is set up by now. */
  readonly callTool: () => Promise<void>;
  /** All that the program was handed. */
  readonly handed: () => string;
  readonly doctor: () => Promise<{ readonly code: number | null; readonly stdout: string }>;
}

async function codexMachine(script = ""): Promise<Machine & { readonly codexHome: string; old: boolean; open(): Promise<void> }> {
  const world = await cutWorld();
  const codex = scriptedCodex(world.cli);
  const codexHome = join(world.cli.home, ".codex");
  const app = await world.appOf((await world.dev()).url);
  const locks = join(codexHome, "thread-writer-locks");
  mkdirSync(locks, { recursive: true });
  const machine = {
    world,
    app,
    codexHome,
    old: script === "old",
    /** As a Codex process does that has the thread loaded. */
    open: async () => {
      const lock = join(locks, `${THREAD}.lock`);
      const holder = spawn("flock", [lock, "sleep", "300"], { stdio: "ignore", detached: true });
      onTestFinished(() => void process.kill(-(holder.pid ?? 0), "SIGKILL"));
      await until("the lock", () => spawnSync("flock", ["-n", lock, "true"]).status !== 0);
    },
    setUp: () => world.cli.json(["setup", "codex", "--yes"], codex.env("")),
    callTool: async () => {
      const { body } = await subscribe(app);
      const tool = { tool_name: "mcp__crawler__start_crawl", tool_response: { _meta: body.addition.meta } };
      const input = JSON.stringify({ session_id: THREAD, hook_event_name: "PostToolUse", cwd: codexHome, ...tool });
      const file = existsSync(codex.hooksJson) ? readFileSync(codex.hooksJson, "utf8") : "{}";
      const groups = (JSON.parse(file) as { hooks?: { PostToolUse?: { hooks: { command: string }[] }[] } }).hooks?.PostToolUse ?? [];
      const env = { ...codex.env(""), HOME: world.cli.home, CODEX_HOME: codexHome };
      // Codex skips hooks that it doesn't trust.
      if (!readFileSync(join(codexHome, "config.toml"), "utf8").includes("hooks.json")) return;
      for (const { command } of groups.flatMap((group) => group.hooks)) {
        const child = spawn("sh", ["-c", command], { env, stdio: ["pipe", "ignore", "ignore"] });
        child.stdin.on("error", () => undefined).end(input);
        await once(child, "exit");
      }
    },
    handed: () => (existsSync(join(codexHome, "queued.txt")) ? readFileSync(join(codexHome, "queued.txt"), "utf8") : ""),
    doctor: () => world.cli.run(["doctor"], codex.env(machine.old ? "old" : "")),
  };
  return machine;
}

async function opencodeMachine(): Promise<Machine & { readonly plugin: string }> {
  const world = await cutWorld();
  const plugin = join(world.cli.home, ".config", "opencode", "plugins", "wakeshift.js");
  const command = join(world.cli.home, "bin", "opencode");
  const listed = JSON.stringify(pathToFileURL(plugin).href);
  writeFileSync(command, `#!/bin/sh\n[ "$1" = debug ] && [ -f '${plugin}' ] && echo '${listed}' || echo 1.18.33\n`);
  chmodSync(command, 0o755);
  const app = await world.appOf((await world.dev()).url);
  let handed = "";
  return {
    world,
    app,
    plugin,
    setUp: () => world.cli.json(["setup", "opencode", "--yes"], world.env),
    callTool: async () => {
      const meta = JSON.stringify((await subscribe(app)).body.addition.meta);
      const env = { ...world.env, HOME: world.cli.home, WAKESHIFT_HOME: join(world.cli.home, "wakeshift") };
      const child = spawn(process.execPath, [SCRIPTED_OPENCODE, plugin, meta], { env, stdio: ["ignore", "pipe", "ignore"] });
      child.stdout.setEncoding("utf8").on("data", (text: string) => (handed += text));
      onTestFinished(async () => {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      });
    },
    handed: () => handed,
    doctor: () => world.doctor(),
  };
}

interface Cut {
  make(): Promise<{ readonly machine: Machine; fix(): Promise<unknown> }>;
  readonly doctor: RegExp;
  readonly status: RegExp;
}

const launcherOf = ({ cli }: CutWorld): string => join(cli.home, "wakeshift", "bin", "wakeshift");
const SETUP_GONE = /The launcher that hooks call is gone, .*`npx wakeshift setup`/;
const NOTHING_HERE = /nothing on this machine is subscribed\. If .*`npx wakeshift doctor`/;

const CUTS: Readonly<Record<string, Cut>> = {
  "Codex's trust gone": {
    make: async () => {
      const machine = await codexMachine();
      await machine.open();
      await machine.setUp();
      writeFileSync(join(machine.codexHome, "config.toml"), "# []\n");
      await machine.callTool();
      return { machine, fix: async () => void (await machine.setUp(), await machine.callTool()) };
    },
    doctor: /codex: trust: the hooks are there, but Codex does not trust them .*\n +fix: npx wakeshift setup codex$/m,
    status: NOTHING_HERE,
  },
  "the launcher of Codex's hooks gone": {
    make: async () => {
      const machine = await codexMachine();
      await machine.open();
      await machine.setUp();
      rmSync(launcherOf(machine.world));
      await machine.callTool();
      return { machine, fix: async () => void (await machine.setUp(), await machine.callTool()) };
    },
    doctor: /codex: launcher: \S+, which its hooks call, is gone\n +fix: npx wakeshift setup codex$/m,
    status: SETUP_GONE,
  },
  "Codex's conversation closed": {
    make: async () => {
      const machine = await codexMachine();
      await machine.setUp();
      await machine.callTool();
      await machine.world.connected();
      return { machine, fix: () => machine.open() };
    },
    doctor: /codex: wake evt_\w+: waits until conversation \S+ is open\n +fix: codex resume \S+$/m,
    status: /evt_\w+ +codex \S+ +waits until the conversation is opened/,
  },
  "a Codex without its queue command": {
    make: async () => {
      const machine = await codexMachine("old");
      await machine.open();
      await machine.setUp();
      await machine.callTool();
      await machine.world.connected();
      return { machine, fix: () => Promise.resolve((machine.old = false)) };
    },
    doctor: /codex: program: .* one with `codex queue` is needed .*\n +fix: codex update$/m,
    status: /connected by stream +1 subscribed/,
  },
  "opencode's plugin gone": {
    make: async () => {
      const machine = await opencodeMachine();
      await machine.setUp();
      rmSync(machine.plugin);
      await machine.callTool();
      return { machine, fix: async () => void (await machine.setUp(), await machine.callTool()) };
    },
    doctor: /opencode: plugin: \S+ is not there\n +fix: npx wakeshift setup opencode$/m,
    status: NOTHING_HERE,
  },
  "the launcher of opencode's plugin gone": {
    make: async () => {
      const machine = await opencodeMachine();
      await machine.setUp();
      rmSync(launcherOf(machine.world));
      await machine.callTool();
      return { machine, fix: async () => void (await machine.setUp(), await machine.callTool()) };
    },
    doctor: /opencode: launcher: \S+, which its hooks call, is gone\n +fix: npx wakeshift setup opencode$/m,
    status: SETUP_GONE,
  },
};

test.each(Object.entries(CUTS))("with %s, emit, doctor and status name the cause; after the fix a wake arrives", async (_cut, row) => {
  const { machine, fix } = await row.make();
  const { world, handed, doctor } = machine;
  expect((await world.emit()).stdout).toMatch(/`npx wakeshift (doctor|status)`/);
  if ((await world.status())?.subscriptions === 1)
    await until("the wake", async () => (await world.status())?.last_wake ?? (await world.status())?.pending[0]);
  const told = await doctor();
  expect(told.stdout).toMatch(row.doctor);
  expect(told.code).toBe(1);
  expect((await world.cli.run(["status"])).stdout).toMatch(row.status);

  await fix();
  await world.connected();
  const occurrence = /evt_\w+/.exec((await world.emit()).stdout)?.[0] ?? "none was emitted";
  await until("the wake", () => handed().includes(occurrence));
  expect((await doctor()).stdout).not.toMatch(/^FAIL/m);
});
