import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUILT, cliWorld } from "./cli-support/cli-world.ts";
import { installProgram } from "./cli-support/installed-program.ts";
import { installNewerVersion } from "./cli-support/newer-version.ts";
import { scriptedCodex } from "./cli-support/scripted-codex.ts";

interface HookFile {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

const commandsOf = (path: string, event: string): readonly string[] =>
  ((JSON.parse(readFileSync(path, "utf8")) as HookFile).hooks[event] ?? []).flatMap((group) => group.hooks.map(({ command }) => command));

test("PC-50 hooks of a package whose folder is gone leave every program in peace, and doctor fails for each with the fix", async () => {
  const world = cliWorld();
  const codex = scriptedCodex(world);
  installProgram(world, "claude");
  const env = { ...installProgram(world, "opencode"), ...codex.env("") };
  const folder = join(world.home, "installed");
  mkdirSync(folder);
  world.use(installNewerVersion(folder, "9.0.0"));
  await world.json(["setup", "--yes"], env);
  const launcher = join(world.home, "wakeshift", "bin", "wakeshift");
  const hooks = [
    ...commandsOf(join(world.home, ".claude", "settings.json"), "PostToolUse"),
    ...commandsOf(codex.hooksJson, "PostToolUse"),
    // What opencode's plugin starts.
    `'${launcher}' hook opencode attach`,
  ];
  expect(hooks).toHaveLength(3);
  const runAll = (): unknown[] =>
    hooks.map((command) => {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
        encoding: "utf8",
        input: "",
        env: { ...env, HOME: world.home },
      });
      return [status, stdout, stderr];
    });
  const silent = hooks.map(() => [0, "", ""]);
  expect(runAll()).toEqual(silent);

  renameSync(folder, `${folder}.moved`);
  world.use(BUILT);
  expect(runAll()).toEqual(silent);
  const { code, stdout } = await world.run(["doctor"], env);
  expect(code).toBe(1);
  for (const program of ["codex", "claude-code", "opencode"]) {
    const [, detail = "", fix = ""] = new RegExp(`^FAIL ${program}: launcher: (.*)\n +fix: (.*)$`, "m").exec(stdout) ?? [];
    expect(detail, stdout).toMatch(/main\.js is gone/);
    expect(fix).toBe(`npx wakeshift setup ${program}`);
    await world.json(["setup", program, "--yes"], env);
  }
  const mended = (await world.run(["doctor"], env)).stdout;
  for (const program of ["codex", "claude-code", "opencode"])
    expect(mended).toMatch(new RegExp(`^ok +${program}: launcher: .* starts version`, "m"));
});

/** As the user it belongs to, if root runs the tests: then the home is somebody else's. */
const USER = 65_534;

test("PC-63 root's set-up in a user's home is refused; of files that root left there, doctor names the chown", async () => {
  const world = cliWorld();
  const isRoot = process.getuid?.() === 0;
  const env = installProgram(world, "claude");
  const settings = join(world.home, ".claude", "settings.json");
  const asUser = (...args: readonly string[]): { status: number | null; stdout: string; stderr: string } => {
    const own = { ...env, HOME: world.home, WAKESHIFT_HOME: join(world.home, "wakeshift"), WAKESHIFT_COMMAND: "npx wakeshift" };
    const command = [process.execPath, BUILT, ...args];
    const drop = isRoot ? ["setpriv", "--reuid", String(USER), "--regid", String(USER), "--clear-groups"] : ["env"];
    return spawnSync(drop[0] ?? "env", [...drop.slice(1), ...command], { encoding: "utf8", env: own, cwd: world.home });
  };
  if (isRoot) {
    spawnSync("chown", ["-R", `${String(USER)}:${String(USER)}`, world.home]);
    const refused = await world.run(["setup", "claude-code", "--yes"], env);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`belongs to another user (uid ${String(USER)})`)]);
    expect(existsSync(settings)).toBe(false);
  }
  expect(asUser("setup", "claude-code", "--yes").status).toBe(0);
  expect(asUser("doctor").stdout).not.toMatch(/^FAIL files/m);
  // Who isn't root can make no file of another user, and so has none to name.
  if (!isRoot) return;
  chownSync(settings, 0, 0);
  const doctor = asUser("doctor");
  expect(doctor.status).toBe(1);
  expect(doctor.stdout).toMatch(/^FAIL files: owner: .*settings\.json belong to another user/m);
  const [, fix = ""] = /^FAIL files: .*\n +fix: sudo (chown .*)$/m.exec(doctor.stdout) ?? [];
  expect(spawnSync("sh", ["-c", fix]).status).toBe(0);
  expect(asUser("doctor").stdout).not.toMatch(/^FAIL files/m);
  expect(asUser("setup", "claude-code", "--remove", "--yes").status).toBe(0);
  expect(existsSync(settings)).toBe(false);
});
