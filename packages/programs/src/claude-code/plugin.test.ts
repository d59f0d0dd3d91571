import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookEntries } from "./settings/hook-entries.ts";

const plugin = join(import.meta.dirname, "..", "..", "..", "..", "plugins", "claude-code");
const script = join(plugin, "hooks", "hook.sh");

it("the plugin has the same hooks as the settings", () => {
  const run = (event: string): string => `sh "\${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh" ${event}`;
  const shipped = JSON.parse(readFileSync(join(plugin, "hooks", "hooks.json"), "utf8")) as { readonly hooks: unknown };
  const runIfAnythingLives = (event: string): string => `${run(event)} if-anything-lives`;
  expect(shipped.hooks).toEqual(hookEntries({ run, runIfAnythingLives }));
});

describe.skipIf(process.platform === "win32")("the plugin's script", () => {
  let home = "";
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), "wakeshift plugin "))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = (...args: readonly string[]): string =>
    execFileSync("sh", [script, ...args], {
      env: { PATH: process.env["PATH"], WAKESHIFT_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });

  function writeLauncher(folder: string): void {
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "bin", "wakeshift"), '#!/bin/sh\necho "called $*"\nexit 2\n');
    chmodSync(join(folder, "bin", "wakeshift"), 0o700);
  }

  it("leaves with 0 and says nothing where Wakeshift isn't set up", () => expect(run("Stop")).toBe(""));

  it("hands the event and the exit code on", () => {
    writeLauncher(home);
    const result = spawnSync("sh", [script, "Stop"], { env: { PATH: process.env["PATH"], WAKESHIFT_HOME: home }, encoding: "utf8" });
    expect(result).toMatchObject({ status: 2, stdout: "called hook claude-code Stop\n" });
  });

  it("finds the usual folder of the platform", () => {
    if (process.platform !== "linux") return;
    writeLauncher(join(home, ".local", "state", "wakeshift"));
    expect(spawnSync("sh", [script, "Stop"], { env: { PATH: process.env["PATH"], HOME: home }, encoding: "utf8" }).stdout).toContain(
      "called",
    );
  });

  it("starts no process where nothing is subscribed, if the entry says so", () => {
    writeLauncher(home);
    expect(run("Notice", "if-anything-lives")).toBe("");
    mkdirSync(join(home, "live"));
    expect(run("Notice", "if-anything-lives")).toBe("");
    writeFileSync(join(home, "live", "claude-code-1"), "");
    expect(
      spawnSync("sh", [script, "Notice", "if-anything-lives"], {
        env: { PATH: process.env["PATH"], WAKESHIFT_HOME: home },
        encoding: "utf8",
      }).stdout,
    ).toContain("called hook claude-code Notice");
  });
});
