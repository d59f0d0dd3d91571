import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliWorld, type CliWorld } from "./cli-support/cli-world.ts";
import { scriptedCodex } from "./cli-support/scripted-codex.ts";

const SHORT_LIMIT = fileURLToPath(new URL("./cli-support/short-limit.mjs", import.meta.url));

function codexWorld(): { readonly world: CliWorld } & ReturnType<typeof scriptedCodex> {
  const world = cliWorld();
  return { world, ...scriptedCodex(world) };
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
    for (const said of ["codex-cli 0.99.0", "one with `codex queue` is needed", "are not woken", "Fix: codex update"])
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
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("FAIL codex: trust:")]);
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

test("--diff shows the trust that Codex would note, with its own hashes, and changes nothing; where Codex can't be asked it says so", async () => {
  const { world, env, hooksJson } = codexWorld();
  const shown = await world.run(["setup", "codex", "--diff"], env(""));
  expect([shown.code, existsSync(hooksJson)]).toEqual([0, false]);
  expect(shown.stdout).toMatch(
    new RegExp(
      `^new file ${dirname(hooksJson)}/config\\.toml\n\\+\\[hooks\\.state\\."${hooksJson}:PostToolUse:0:0"\\]\n\\+trusted_hash = "[0-9a-f]{64}"$`,
      "m",
    ),
  );
  expect(shown.stdout).toContain(`+[hooks.state."${hooksJson}:Stop:0:0"]\n+trusted_hash = `);
  const mute = await world.run(["setup", "codex", "--diff"], env("mute"));
  expect([mute.code, existsSync(hooksJson)]).toEqual([0, false]);
  expect(mute.stdout).toContain("(the lines it would write can't be shown: codex app-server ended with exit code 3");
});

test("while Codex keeps set-up or doctor waiting, they say beside the answer what they wait for; in JSON they say nothing", async () => {
  const { world, env } = codexWorld();
  const waiting = /^codex: waiting for codex app-server to answer initialize \(20 seconds at most\)$/m;
  const slow = await world.run(["setup", "codex", "--yes"], env("slow"));
  expect([slow.code, slow.stdout]).toEqual([0, expect.stringContaining("codex: connected")]);
  expect(slow.stderr).toMatch(waiting);
  expect((await world.run(["doctor"], env("slow"))).stderr).toMatch(waiting);
  expect((await world.run(["setup", "codex", "--remove", "--yes", "--json"], env("slow"))).stderr).toBe("");
});

test("where Codex's app-server hangs, that is said at once and at the end, with what to do; a removal goes through without it", async () => {
  const { world, env, hooksJson } = codexWorld();
  const hanging = { ...env("hanging"), NODE_OPTIONS: `--import=${SHORT_LIMIT}` };
  const set = await world.run(["setup", "codex", "--yes"], hanging);
  expect(set.code).toBe(1);
  const [, told = ""] = set.stderr.split("codex: waiting for codex app-server to answer initialize (20 seconds at most)\n");
  expect(told).toContain("codex app-server did not answer initialize within 20 s (run it by hand to see why)");
  for (const way of ["`npx wakeshift setup codex` again", "under /hooks", "npx wakeshift setup codex --remove"])
    expect(told).toContain(way);
  const removed = await world.run(["setup", "codex", "--remove", "--yes"], hanging);
  expect([removed.code, existsSync(hooksJson)]).toEqual([0, false]);
});

test("a removal for which Codex refuses to forget the trust takes the hooks out, and says what that leaves", async () => {
  const { world, env, hooksJson } = codexWorld();
  await world.run(["setup", "codex", "--yes"], env(""));
  // Edited since, it can't just get its earlier bytes back.
  appendFileSync(join(dirname(hooksJson), "config.toml"), "\n");
  const { code, stderr } = await world.run(["setup", "codex", "--remove", "--yes"], env("refusing"));
  expect([code, existsSync(hooksJson)]).toEqual([1, false]);
  expect(stderr).toContain("Wakeshift's hooks are taken out, but Codex did not forget their trust: codex app-server refused: read-only.");
  expect(stderr).toContain("look under /hooks (bad_response)");
  const again = await world.run(["setup", "codex", "--remove", "--yes"], env(""));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("codex: nothing to change")]);
});
