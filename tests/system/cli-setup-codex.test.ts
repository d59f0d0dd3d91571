import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliWorld, type CliWorld } from "./cli-support/cli-world.ts";

const SCRIPTED = fileURLToPath(new URL("./cli-support/scripted-codex.mjs", import.meta.url));

/** A codex command on the PATH that does what its script says. */
function codexWorld(): { readonly world: CliWorld; readonly hooksJson: string; env(script: string): Readonly<Record<string, string>> } {
  const world = cliWorld();
  const folder = join(world.home, "bin");
  mkdirSync(folder);
  const codex = join(folder, "codex");
  copyFileSync(SCRIPTED, codex);
  chmodSync(codex, 0o755);
  const home = join(world.home, ".codex");
  mkdirSync(home);
  return {
    world,
    hooksJson: join(home, "hooks.json"),
    env: (script) => ({ PATH: `${folder}:${process.env["PATH"] ?? ""}`, CODEX_SCRIPT: script }),
  };
}

test("a codex without its queue command is set up, but never said to be connected, by doctor neither", async () => {
  const { world, env } = codexWorld();
  const never = await world.run(["doctor"], env("old"));
  expect(never.code).toBe(0);
  expect(never.stdout).toMatch(/^-- {3}codex: version: not set up, and can't be used as it is: .+ \(codex-cli 0\.99\.0\) is installed/m);
  expect(never.stdout).toContain("     to use it: codex update, then: npx wakeshift setup codex\n");
  for (const round of ["codex: set up, but not connected yet:", "codex: nothing to change, but it can't be woken:"]) {
    const { code, stdout } = await world.run(["setup", "codex", "--yes"], env("old"));
    expect([code, stdout]).toEqual([0, expect.stringContaining(round)]);
    for (const said of ["codex-cli 0.99.0", "one with `codex queue` is needed", "are not woken", "Mend it: codex update"])
      expect(stdout).toContain(said);
    expect(stdout).not.toContain("codex: connected");
  }
  const doctor = await world.run(["doctor"], env("old"));
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("one with `codex queue` is needed")]);
  const newer = await world.run(["setup", "codex", "--yes"], env(""));
  expect([newer.code, newer.stdout]).toEqual([0, "codex: nothing to change\n"]);
});

test.each([
  ["mute", "codex app-server ended with exit code 3"],
  ["untrusting", "Codex does not list them as trusted"],
])("where Codex can't be had to trust the hooks (%s), it is said where they stand and what to do, each time", async (script, reason) => {
  const { world, env, hooksJson } = codexWorld();
  for (let round = 0; round < 2; round += 1) {
    const { code, stdout, stderr } = await world.run(["setup", "codex", "--yes"], env(script));
    expect([code, stdout]).toEqual([1, expect.not.stringContaining("codex: connected") as string]);
    expect(stderr).toContain(`Wakeshift's hooks stand in ${hooksJson}, but Codex doesn't trust them yet`);
    expect(stderr).toContain(reason);
    for (const way of ["`npx wakeshift setup codex` again", "under /hooks", "npx wakeshift setup codex --remove"])
      expect(stderr).toContain(way);
    expect(readFileSync(hooksJson, "utf8")).toContain("hook codex PostToolUse");
  }
  const doctor = await world.run(["doctor"], env(script));
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("CUT  codex: trust:")]);
});

test("after that, the same command sets it up once Codex answers, and a removal leaves nothing even while it doesn't", async () => {
  const { world, env, hooksJson } = codexWorld();
  await world.run(["setup", "codex", "--yes"], env("mute"));
  const again = await world.run(["setup", "codex", "--yes"], env(""));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("codex: connected")]);
  await world.run(["setup", "codex", "--remove", "--yes"], env(""));
  expect(existsSync(hooksJson)).toBe(false);

  await world.run(["setup", "codex", "--yes"], env("mute"));
  const removed = await world.run(["setup", "codex", "--remove", "--yes"], env("mute"));
  expect([removed.code, removed.stdout, existsSync(hooksJson)]).toEqual([0, expect.stringContaining("codex: taken out"), false]);
});
