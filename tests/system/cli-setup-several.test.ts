import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliWorld, type CliWorld } from "./cli-support/cli-world.ts";
import { installProgram } from "./cli-support/installed-program.ts";
import { scriptedCodex } from "./cli-support/scripted-codex.ts";

interface SetupAnswer {
  readonly error?: { readonly code: string; readonly message: string };
  readonly programs: readonly { readonly program: string; readonly result: string; readonly error?: { readonly code: string } }[];
}

const UNREADABLE = Buffer.from('{ "name": "caf\u00e9" }', "latin1");
const REASON = "settings.json isn't UTF-8 text";

interface Several {
  readonly world: CliWorld;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: string;
  readonly plugin: string;
}

/** A machine with all three programs, on which Claude Code's settings, the second of them, can't be read. */
function secondIsBroken(): Several {
  const world = cliWorld();
  const settings = join(world.home, ".claude", "settings.json");
  mkdirSync(join(world.home, ".claude"));
  writeFileSync(settings, UNREADABLE);
  installProgram(world, "claude");
  const env = { ...installProgram(world, "opencode"), ...scriptedCodex(world).env("") };
  return { world, env, settings, plugin: join(world.home, ".config", "opencode", "plugins", "wakeshift.js") };
}

test("set-up of all programs goes on after one that fails, tells of each what happened, and leaves with 1", async () => {
  const { world, env, settings, plugin } = secondIsBroken();
  const { code, stdout, stderr } = await world.run(["setup", "--yes"], env);
  expect(code).toBe(1);
  for (const line of ["codex: connected", "opencode: connected"]) expect(stdout).toContain(line);
  expect(stderr).toMatch(/^wakeshift: claude-code: .+ \(bad_request\)$/m);
  expect(stderr).toContain(REASON);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("Failed, for the reason above: claude-code. The others: codex: done, opencode: done.");
  expect([existsSync(plugin), readFileSync(settings)]).toEqual([true, UNREADABLE]);

  const doctor = await world.run(["doctor"], env);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/^FAIL claude-code: checks: couldn't be run: .+isn't UTF-8/m);
  for (const line of ["ok   codex: trust", "ok   opencode: "]) expect(doctor.stdout).toContain(line);
});

test("so do --diff and --remove, whether the programs are named or not", async () => {
  const { world, env, settings, plugin } = secondIsBroken();
  const named = ["codex", "claude-code", "opencode"];
  const diff = await world.run(["setup", "--diff", ...named], env);
  expect([diff.code, diff.stderr]).toEqual([1, expect.stringContaining(REASON)]);
  expect(diff.stdout.match(/Nothing was changed\./g)).toHaveLength(2);
  expect(diff.stdout).toContain("The others: codex: shown, opencode: shown.");

  await world.run(["setup", "--yes"], env);
  const removed = await world.run(["setup", "--remove", "--yes"], env);
  expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining(REASON)]);
  for (const line of ["codex: taken out", "opencode: taken out", "Failed, for the reason above: claude-code."])
    expect(removed.stdout).toContain(line);
  expect([existsSync(plugin), readFileSync(settings)]).toEqual([false, UNREADABLE]);
});

test("where there is nobody to ask, each program says so for itself, and none is changed", async () => {
  const { world, env, settings, plugin } = secondIsBroken();
  writeFileSync(settings, "{}");
  const { code, stderr } = await world.run(["setup"], env);
  expect(code).toBe(1);
  for (const name of ["codex", "claude-code", "opencode"]) expect(stderr).toContain(`\`npx wakeshift setup ${name} --diff\``);
  expect([existsSync(plugin), readFileSync(settings, "utf8")]).toEqual([false, "{}"]);
});

test("in JSON it is one document, with the failure as every command's and what became of each program", async () => {
  const { world, env } = secondIsBroken();
  const { code, stdout, stderr } = await world.run(["setup", "--yes", "--json"], env);
  const answer = JSON.parse(stdout) as SetupAnswer;
  expect([code, stderr, answer.error?.code]).toEqual([1, "", "bad_request"]);
  expect(answer.programs).toMatchObject([
    { program: "codex", result: "done" },
    { program: "claude-code", result: "failed", error: { code: "bad_request" } },
    { program: "opencode", result: "done" },
  ]);
  const alone = await world.run(["setup", "claude-code", "--yes"], env);
  expect([alone.code, alone.stdout]).toEqual([1, ""]);
  expect(alone.stderr).toMatch(/^wakeshift: (?!claude-code:).+ \(bad_request\)\n$/);
});
