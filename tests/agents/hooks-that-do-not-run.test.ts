import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runClaude, setUpClaude, startClaude } from "./support/claude-code.ts";
import { codexConfig, codexExec, codexHome, openCodexWorld, startAppServer, watch } from "./support/codex.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld, type World } from "./support/world.ts";

const ranNoHook = (world: World): boolean => !existsSync(join(world.wakeshiftHome, "hook-runs"));

/** What `doctor` prints as failed, in the folder where the program runs, once it says `expected` too. */
async function failures(world: World, expected: RegExp): Promise<string> {
  const look = async (): Promise<string | false> => {
    const { code, stdout } = await world.cli(["doctor"]);
    const failed = stdout.split("\n").filter((line, place, lines) => line.startsWith("FAIL") || lines[place - 1]?.startsWith("FAIL"));
    return code === 1 && expected.test(stdout) && failed.join("\n");
  };
  return waitUntil(`doctor to say ${String(expected)}`, look, 120_000);
}

async function openClaudeWorld(): Promise<World> {
  const world = await makeWorld("claude-code");
  onTestFinished(() => world.close());
  return world;
}

test("with disableAllHooks in a project, Claude Code runs no hook there, and doctor names the file and what to remove", async () => {
  const world = await openClaudeWorld();
  await setUpClaude(world);
  const settings = join(world.work, ".claude", "settings.json");
  mkdirSync(join(world.work, ".claude"));
  writeFileSync(settings, '{ "disableAllHooks": true }\n');
  expect(await runClaude(world, '#tool watch_crawl {"job":"off"}').ended).toBe(0);
  expect(world.model.requests.some((one) => one.text.includes("Watching crawl off."))).toBe(true);
  expect(ranNoHook(world)).toBe(true);
  const failed = await failures(world, /claude-code: hooks enabled/);
  expect(failed).toContain(`FAIL claude-code: hooks enabled: ${settings} turns all hooks off ("disableAllHooks")`);
  expect(failed).toContain(`fix: remove "disableAllHooks" from ${settings}`);
});

test("with Codex's hooks feature off, Codex runs no hook, and doctor names the file and the setting", async () => {
  const world = await openCodexWorld();
  const config = join(codexHome(world), "config.toml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\n[features]\nhooks = false\n`);
  expect(await codexExec(world, watch("off")).ended).toBe(0);
  expect(world.model.requests.some((one) => one.text.includes("Watching crawl off"))).toBe(true);
  expect(ranNoHook(world)).toBe(true);
  const failed = await failures(world, /codex: hooks enabled/);
  expect(failed).toContain(`FAIL codex: hooks enabled: ${config} turns all hooks off (hooks = false under [features])`);
  expect(failed).toContain(`fix: set hooks = true in ${config}`);
});

test("a Codex that has been running since before its set-up runs no hook, and doctor says to start it again", async () => {
  const world = await makeWorld("codex");
  onTestFinished(() => world.close());
  mkdirSync(codexHome(world), { recursive: true });
  writeFileSync(join(codexHome(world), "config.toml"), codexConfig(world));
  const editor = await startAppServer(world);
  const thread = await editor.startThread();
  await editor.turn(thread, "hello");
  expect((await world.cli(["setup", "codex", "--yes"], { timeoutMs: 60_000 })).code).toBe(0);
  await editor.turn(thread, watch("early"));
  expect(ranNoHook(world)).toBe(true);
  const failed = await failures(world, /FAIL codex: hook ran/);
  expect(failed).toContain("it has been running since before, or its hooks are off");
  expect(failed).toContain("fix: end every codex that is open and start it again");
});

test("a Claude Code that has been running since before its set-up runs no hook, and doctor says to start it again", async () => {
  const world = await openClaudeWorld();
  writeFileSync(join(world.work, "mcp.json"), JSON.stringify({ mcpServers: { crawler: { type: "http", url: world.mcpUrl } } }));
  const session = startClaude(world);
  session.say("hello");
  await session.ended(1);
  await setUpClaude(world);
  session.say('#tool watch_crawl {"job":"early"}');
  await session.ended(2);
  expect(ranNoHook(world)).toBe(true);
  const failed = await failures(world, /FAIL claude-code: hook ran/);
  expect(failed).toContain("it has been running since before, or its hooks are off");
  expect(failed).toContain("fix: end every claude-code that is open and start it again");
});
