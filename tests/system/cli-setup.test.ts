import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliWorld } from "./cli-support/cli-world.ts";
import { installProgram } from "./cli-support/installed-program.ts";
import { installNewerVersion } from "./cli-support/newer-version.ts";

interface SetupAnswer {
  readonly programs: readonly { readonly program: string; readonly result: string; readonly files: readonly string[] }[];
}

/** Every file below a folder with its bytes. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), "utf8")]),
  );
}

const SETTINGS = `{
  "model": "opus",
  "unknownKey": { "kept":true },
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }
}
`;

describe("wakeshift setup", () => {
  test("PC-30 claude-code: the user's settings come back byte for byte, and a second set-up changes nothing", async () => {
    const world = cliWorld();
    const env = installProgram(world, "claude");
    const folder = join(world.home, ".claude");
    mkdirSync(folder);
    writeFileSync(join(folder, "settings.json"), SETTINGS);
    const before = snapshot(folder);

    const first = await world.json<SetupAnswer>(["setup", "claude-code", "--yes"], env);
    expect(first.programs).toMatchObject([{ program: "claude-code", result: "done" }]);
    const connected = snapshot(folder);
    expect(connected).not.toEqual(before);
    expect(statSync(join(world.home, "wakeshift", "bin", "wakeshift")).mode & 0o777).toBe(0o700);

    const second = await world.json<SetupAnswer>(["setup", "claude-code", "--yes"], env);
    expect(second.programs).toMatchObject([{ result: "nothing to change" }]);
    expect(snapshot(folder)).toEqual(connected);

    await world.json<SetupAnswer>(["setup", "claude-code", "--remove", "--yes"], env);
    expect(snapshot(folder)).toEqual(before);
  });

  test("PC-30 set up by a newer version, no byte of the programs' settings changes, and what they call is the newer one", async () => {
    const world = cliWorld();
    const claude = installProgram(world, "claude");
    const env = { ...claude, ...installProgram(world, "opencode") };
    const folder = join(world.home, ".claude");
    mkdirSync(folder);
    writeFileSync(join(folder, "settings.json"), SETTINGS);
    const before = [snapshot(folder), snapshot(join(world.home, ".config"))];
    await world.json(["setup", "claude-code", "opencode", "--yes"], env);
    const connected = [snapshot(folder), snapshot(join(world.home, ".config"))];

    world.use(installNewerVersion(join(world.home, "newer"), "99.0.0"));
    expect((await world.run(["--version"])).stdout.trim()).toBe("99.0.0");
    const again = await world.json<SetupAnswer>(["setup", "claude-code", "opencode", "--yes"], env);
    expect(again.programs.map((program) => program.result)).toEqual(["nothing to change", "nothing to change"]);
    expect([snapshot(folder), snapshot(join(world.home, ".config"))]).toEqual(connected);
    const launcher = join(world.home, "wakeshift", "bin", "wakeshift");
    expect(execFileSync(launcher, ["--version"], { encoding: "utf8" }).trim()).toBe("99.0.0");

    await world.json(["setup", "--remove", "--yes"], env);
    expect([snapshot(folder), snapshot(join(world.home, ".config"))]).toEqual(before);
  });

  test("PC-30 opencode: the plugin file goes in and out, and nothing else is touched", async () => {
    const world = cliWorld();
    const env = installProgram(world, "opencode");
    const folder = join(world.home, ".config", "opencode");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "opencode.json"), '{ "theme": "x" } // mine\n');
    const before = snapshot(folder);
    await world.json<SetupAnswer>(["setup", "opencode", "--yes"], env);
    expect(Object.keys(snapshot(folder)).length).toBe(Object.keys(before).length + 1);
    await world.json<SetupAnswer>(["setup", "opencode", "--remove", "--yes"], env);
    expect(snapshot(folder)).toEqual(before);
  });

  test.each([
    ["claude-code", "claude", "2.1.150", "2.1.224 or newer is needed"],
    ["opencode", "opencode", "2.0.1", "1.x is needed"],
  ])(
    "%s of a version that can't be woken is never said to be connected, and doctor says the same",
    async (name, command, version, needed) => {
      const world = cliWorld();
      const env = installProgram(world, command, version);
      const never = await world.run(["doctor"], env);
      expect([never.code, never.stdout]).toEqual([
        0,
        expect.stringContaining(`--   ${name}: version: not set up, and can't be used as it is: `),
      ]);
      expect(never.stdout).toMatch(new RegExp(`to use it: .+, then: npx wakeshift setup ${name}\n`));
      expect(never.stdout).not.toContain(`off  ${name}`);
      for (const round of [`${name}: set up, but not connected yet:`, `${name}: nothing to change, but it can't be woken:`]) {
        const { code, stdout } = await world.run(["setup", name, "--yes"], env);
        expect([code, stdout]).toEqual([0, expect.stringContaining(round)]);
        for (const said of [version, needed, "are not woken", "Fix: "]) expect(stdout).toContain(said);
        expect(stdout).not.toContain(`${name}: connected`);
      }
      const doctor = await world.run(["doctor"], env);
      expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(needed)]);
    },
  );

  test("PC-30 folders that set-up made go with the removal, those that were there or that somebody uses stay", async () => {
    const world = cliWorld();
    const env = { ...installProgram(world, "claude"), ...installProgram(world, "opencode") };
    const [claude, config] = [join(world.home, ".claude"), join(world.home, ".config")];
    const programs = ["claude-code", "opencode"];
    await world.json(["setup", ...programs, "--yes"], env);
    const removed = await world.run(["setup", ...programs, "--remove", "--yes"], env);
    expect([existsSync(claude), existsSync(config)]).toEqual([false, false]);
    expect(removed.stdout).toContain(`Removed ${claude}, which set-up had made and which was empty.`);

    mkdirSync(claude);
    await world.json(["setup", ...programs, "--yes"], env);
    writeFileSync(join(config, "theirs"), "");
    await world.json(["setup", ...programs, "--yes"], env);
    await world.json(["setup", ...programs, "--remove", "--yes"], env);
    expect([readdirSync(claude), readdirSync(config)]).toEqual([[], ["theirs"]]);
  });

  test.each([
    ["claude-code", "claude", ["change", "adds hooks after any you have (SessionStart, UserPromptSubmit"]],
    ["opencode", "opencode", ["new file", "adds a plugin that opencode loads when it starts; it calls "]],
  ])(
    "%s: says in a few lines what it would do, writes nothing where it can't ask, and shows every line on demand",
    async (name, command, said) => {
      const world = cliWorld();
      const env = installProgram(world, command, command === "claude" ? "2.1.332" : "1.18.33");
      mkdirSync(join(world.home, ".claude"));
      writeFileSync(join(world.home, ".claude", "settings.json"), SETTINGS);
      const before = snapshot(world.home);
      const refused = await world.run(["setup", name], env);
      expect(refused.code).toBe(1);
      for (const words of [...said, join(world.home, "wakeshift", "bin", "wakeshift")]) expect(refused.stdout).toContain(words);
      expect(refused.stdout).toMatch(/\(\d+ lines( added, \d+ removed)?\)/);
      expect(refused.stdout.split("\n").length).toBeLessThan(6);
      expect(refused.stderr).toContain(`npx wakeshift setup ${name} --diff`);
      expect(refused.stderr).toContain("--yes");

      const whole = await world.run(["setup", name, "--diff"], env);
      expect([whole.code, whole.stderr]).toEqual([0, expect.not.stringContaining("wakeshift: ")]);
      expect(whole.stdout.split("\n").length).toBeGreaterThan(60);
      expect(whole.stdout).toMatch(/\nNothing was changed\.\n$/);
      const { programs } = await world.json<{ programs: readonly [{ result: string; diff: string }] }>(["setup", name, "--diff"], env);
      expect(programs).toMatchObject([{ result: "shown", diff: expect.stringContaining("wakeshift") as string }]);
      expect(snapshot(world.home)).toEqual(before);

      await world.json(["setup", name, "--yes"], env);
      const connected = snapshot(world.home);
      expect((await world.run(["setup", name, "--remove", "--diff"], env)).stdout).toContain(command === "claude" ? "\n-" : "remove ");
      expect(snapshot(world.home)).toEqual(connected);
    },
  );

  test("says which programs it knows, and which aren't here", async () => {
    const world = cliWorld();
    const unknown = await world.run(["setup", "emacs"]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("codex, claude-code, opencode");
    const missing = await world.run(["setup", "opencode"], { PATH: "/nonexistent" });
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain("not found");
  });

  test.each([
    ["claude-code", "claude"],
    ["opencode", "opencode"],
  ])("a program that is installed and fails is told from one that isn't there: %s", async (name, command) => {
    const world = cliWorld();
    const bin = join(world.home, "failing");
    mkdirSync(bin);
    writeFileSync(join(bin, command), "#!/bin/sh\necho 'a library is missing' >&2\nexit 3\n", { mode: 0o755 });
    const { code, stdout, stderr } = await world.run(["setup", name, "--yes"], { PATH: `${bin}:/usr/bin:/bin` });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${name} is installed, but doesn't work: \`${command} --version\` exited with 3: a library is missing.`);
  });

  test("doctor tells a connected program from one that never was and from one that no longer is, in JSON too", async () => {
    const world = cliWorld();
    const env = installProgram(world, "opencode");
    interface Doctor {
      readonly ok: boolean;
      readonly checks: readonly { readonly program: string; readonly ok: boolean; readonly fix: string }[];
    }
    const never = await world.run(["doctor", "--json"], env);
    expect(never.code).toBe(0);
    const checks = (JSON.parse(never.stdout) as Doctor).checks.filter((check) => check.program === "opencode");
    expect(checks).toEqual([{ program: "opencode", check: "set up", ok: true, detail: "not set up", fix: "npx wakeshift setup opencode" }]);
    await world.json(["setup", "opencode", "--yes"], env);
    rmSync(join(world.home, ".config", "opencode", "plugins", "wakeshift.js"));
    const cut = await world.run(["doctor", "--json"], env);
    expect(cut.code).toBe(1);
    const failed = (JSON.parse(cut.stdout) as Doctor).checks.filter((check) => check.program === "opencode" && !check.ok);
    expect(failed.map((check) => check.fix)).toContain("npx wakeshift setup opencode");
    await world.json(["setup", "opencode", "--yes"], env);
    const repaired = JSON.parse((await world.run(["doctor", "--json"], env)).stdout) as Doctor;
    expect(repaired.checks.filter((check) => check.program === "opencode" && check.fix.includes("setup"))).toEqual([]);
  });

  test("refuses settings that aren't UTF-8, and leaves their bytes", async () => {
    const world = cliWorld();
    const env = installProgram(world, "claude");
    const folder = join(world.home, ".claude");
    mkdirSync(folder);
    const bytes = Buffer.from('{ "name": "caf\u00e9" }', "latin1");
    writeFileSync(join(folder, "settings.json"), bytes);
    const refused = await world.run(["setup", "claude-code", "--yes"], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("isn't UTF-8");
    expect(readFileSync(join(folder, "settings.json"))).toEqual(bytes);
  });

  test("a user's edit between two set-ups survives the removal", async () => {
    const world = cliWorld();
    const env = installProgram(world, "claude");
    const path = join(world.home, ".claude", "settings.json");
    mkdirSync(join(world.home, ".claude"));
    writeFileSync(path, "{}\n");
    await world.json(["setup", "claude-code", "--yes"], env);
    const edited = { ...(JSON.parse(readFileSync(path, "utf8")) as object), hooks: {}, model: "sonnet" };
    writeFileSync(path, JSON.stringify(edited));
    await world.json(["setup", "claude-code", "--yes"], env);
    await world.json(["setup", "claude-code", "--remove", "--yes"], env);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ model: "sonnet" });
  });
});
