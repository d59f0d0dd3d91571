import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcherPath, launcherText, writeLauncher } from "./launcher.ts";

/** A launcher in a home folder of its own, and the command it starts; `undefined`: that is gone. */
function launcherOf(command: string | undefined, node = process.execPath): { readonly place: string; readonly path: string } {
  const place = mkdtempSync(join(tmpdir(), "wakeshift launcher's "));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const main = join(place, "main.mjs");
  if (command !== undefined) writeFileSync(main, command);
  const path = join(place, "wakeshift");
  writeFileSync(path, launcherText({ node, main, command: "npx wakeshift" }, place, "linux"));
  chmodSync(path, 0o700);
  return { place, path };
}

describe("the launcher", () => {
  test("PC-30 its path is the same for every version", () => {
    expect(launcherPath("/home/u/w", "linux")).toBe("/home/u/w/bin/wakeshift");
    expect(launcherPath("/home/u/w", "win32")).toMatch(/wakeshift\.cmd$/);
  });

  test("passes arguments on as they are, from a folder with blanks and quotes", () => {
    const { path } = launcherOf("console.log(JSON.stringify(process.argv.slice(2)))");
    const args = ["hook", "--help", "$(touch pwned)", "`x`", 'a "b"', "c\nd"];
    expect(JSON.parse(execFileSync(path, args, { encoding: "utf8" }))).toEqual(args);
  });

  test.each([
    [{}, "launcher's own"],
    [{ WAKESHIFT_HOME: "/elsewhere" }, "/elsewhere"],
  ])("with %j the home folder is %s", (env, expected) => {
    const { place, path } = launcherOf("console.log(process.env.WAKESHIFT_HOME)");
    const printed = execFileSync(path, [], { encoding: "utf8", env }).trim();
    expect(printed).toBe(expected === "/elsewhere" ? expected : place);
  });

  test("PC-50 a hook whose command is gone exits with 0 without a word; any other command fails and says what to run", () => {
    const { place, path } = launcherOf(undefined);
    expect(execFileSync(path, ["hook"], { encoding: "utf8" })).toBe("");
    const failed = spawnSync(path, ["--version"], { encoding: "utf8" });
    expect([failed.status, failed.stdout, failed.stderr]).toEqual([
      1,
      "",
      `wakeshift: ${join(place, "main.mjs")} is gone. Run: npx wakeshift setup\n`,
    ]);
  });

  test("PC-50 a Node that is gone is replaced by another of 20 or newer, on the PATH or where Node is often installed", () => {
    const { place, path } = launcherOf("console.log(process.execPath)", "/nowhere/node");
    expect(execFileSync(path, ["hook"], { encoding: "utf8" }).trim()).toBe(process.execPath);
    const old = join(place, "old");
    const places = join(place, ".nvm", "versions", "node", "v20.20.0", "bin");
    for (const folder of [old, places]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(old, "node"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    symlinkSync(process.execPath, join(places, "node"));
    const env = { PATH: `${old}:/usr/bin:/bin`, HOME: place };
    expect(execFileSync(path, ["hook"], { encoding: "utf8", env }).trim()).toBe(process.execPath);
  });

  test.each(["--require /nowhere/bootloader.js", "--no-such-option", "--inspect=127.0.0.1:1"])(
    "PC-60 what an editor leaves in NODE_OPTIONS doesn't reach a hook's own Node: %s",
    (options) => {
      const { path } = launcherOf("console.log(process.env.NODE_OPTIONS ?? '', process.env.WAKESHIFT_NODE_OPTIONS)");
      const ended = spawnSync(path, ["hook"], { encoding: "utf8", env: { NODE_OPTIONS: options, NODE_CHANNEL_FD: "99" } });
      expect([ended.status, ended.stdout, ended.stderr]).toEqual([0, ` ${options}\n`, ""]);
    },
  );

  test("what it starts knows how set-up was called", () => {
    const { path } = launcherOf("console.log(process.env.WAKESHIFT_COMMAND)");
    expect(execFileSync(path, [], { encoding: "utf8" }).trim()).toBe("npx wakeshift");
  });
});

describe("writing it", () => {
  const write = (home: string, main: string, gone: readonly string[] = []): string | undefined =>
    writeLauncher({ node: "/usr/bin/node", main, command: "wakeshift" }, home, "linux", (path) => !gone.includes(path));

  test("PC-50 says what it repaired, and nothing where nothing was broken", () => {
    const home = mkdtempSync(join(tmpdir(), "wakeshift-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    expect(write(home, "/opt/it's 1/main.js")).toBeUndefined();
    expect(write(home, "/opt/2/main.js")).toBeUndefined();
    expect(write(home, "/opt/3/main.js", ["/opt/2/main.js"])).toBe(
      `${launcherPath(home, "linux")} called /opt/2/main.js, which is gone; it calls /opt/3/main.js now`,
    );
  });
});
