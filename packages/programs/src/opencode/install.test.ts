import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { resolveHomeFolder } from "../machine/home-folder.ts";
import type { FileChange, SettingsContext } from "../program/program-setup.ts";
import type { RunResult } from "../program/runner.ts";
import { opencodeChecks } from "./check.ts";
import { opencodeSettings } from "./install.ts";

const PLUGINS = join(import.meta.dirname, "..", "..", "..", "..", "plugins", "opencode");

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Setup {
  readonly context: SettingsContext;
  readonly plugin: string;
  readonly asked: string[][];
  apply(files: readonly FileChange[]): void;
}

function setup(
  changes: {
    readonly env?: NodeJS.ProcessEnv;
    readonly answer?: (args: readonly string[]) => Partial<RunResult>;
    readonly wakeshiftHome?: string;
  } = {},
): Setup {
  const userHome = mkdtempSync(join(tmpdir(), "wakeshift-opencode-"));
  folders.push(userHome);
  const asked: string[][] = [];
  const wakeshiftHome = changes.wakeshiftHome ?? join(userHome, "ws");
  const env = changes.env ?? {};
  const config = env["XDG_CONFIG_HOME"] ?? join(userHome, ".config");
  const context: SettingsContext = {
    env,
    userHome,
    folder: userHome,
    wakeshiftHome,
    launcher: join(userHome, "ws", "bin", "wakeshift"),
    pluginFolder: PLUGINS,
    platform: process.platform,
    read: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    run: {
      run: (command, args) => {
        asked.push([command, ...args]);
        const result = { exitCode: 0, stdout: "1.18.33\n", stderr: "", timedOut: false };
        return Promise.resolve({ ...result, ...changes.answer?.(args) });
      },
    },
  };
  const apply = (files: readonly FileChange[]): void => {
    for (const { path, after } of files) {
      mkdirSync(dirname(path), { recursive: true });
      if (after === undefined) rmSync(path);
      else writeFileSync(path, after);
    }
  };
  return { context, plugin: join(config, "opencode", "plugins", "wakeshift.js"), asked, apply };
}

describe("opencode's set-up", () => {
  it("puts one file among opencode's plugins and nothing else", async () => {
    const { context, plugin, apply } = setup();
    const plan = await opencodeSettings.install(context);
    expect(plan.files.map((change) => change.path)).toEqual([plugin]);
    expect(plan.steps).toEqual([]);
    expect(plan.files[0]?.before).toBeUndefined();
    apply(plan.files);
    expect((await opencodeSettings.install(context)).files).toEqual([]);
  });

  it("follows XDG_CONFIG_HOME", async () => {
    const config = mkdtempSync(join(tmpdir(), "wakeshift-xdg-"));
    folders.push(config);
    const { context } = setup({ env: { XDG_CONFIG_HOME: config } });
    expect((await opencodeSettings.install(context)).files[0]?.path).toBe(join(config, "opencode", "plugins", "wakeshift.js"));
  });

  it("names the home of this set-up in the file only where it isn't the usual one", async () => {
    const unusual = setup();
    const text = (await opencodeSettings.install(unusual.context)).files[0]?.after ?? "";
    expect(text).toContain(`const SET_UP_HOME = ${JSON.stringify(unusual.context.wakeshiftHome)};`);
    const usual = setup({ wakeshiftHome: resolveHomeFolder({ HOME: homedir() }) });
    expect((await opencodeSettings.install(usual.context)).files[0]?.after).toBe(
      readFileSync(join(PLUGINS, "dist", "wakeshift.js"), "utf8"),
    );
  });

  it("takes the file away again, also one of an earlier version", async () => {
    const { context, plugin, apply } = setup();
    const installed = await opencodeSettings.install(context);
    apply(installed.files);
    writeFileSync(plugin, `${readFileSync(plugin, "utf8")}\n// an earlier version`);
    expect((await opencodeSettings.install(context)).files).toHaveLength(1);
    const removal = await opencodeSettings.remove(context, installed.files);
    expect(removal.files).toEqual([{ path: plugin, before: readFileSync(plugin, "utf8"), after: undefined }]);
    apply(removal.files);
    expect((await opencodeSettings.remove(context, installed.files)).files).toEqual([]);
  });

  it("leaves a file of somebody else alone, installing and removing", async () => {
    const { context, plugin, apply } = setup();
    apply([{ path: plugin, before: undefined, after: "export const Mine = async () => ({});\n" }]);
    await expect(opencodeSettings.install(context)).rejects.toMatchObject({ code: "bad_request" });
    expect((await opencodeSettings.remove(context, [])).files).toEqual([]);
  });

  it("says that opencode isn't there", async () => {
    const { context } = setup({ answer: () => ({ exitCode: null, stdout: "", stderr: "ENOENT", missing: true }) });
    expect(await opencodeSettings.find(context)).toEqual({ found: false, fails: false, detail: "no command `opencode` on the PATH" });
  });
});

describe("opencode's checks", () => {
  async function installed(answer: (args: readonly string[]) => Partial<RunResult>): Promise<Setup> {
    const made = setup({ answer: (args) => (args[0] === "--version" ? {} : answer(args)) });
    made.apply((await opencodeSettings.install(made.context)).files);
    made.apply([{ path: made.context.launcher, before: undefined, after: "#!/bin/sh\n" }]);
    return made;
  }

  it("are all good where opencode itself lists the plugin", async () => {
    const made = await installed(() => ({ stdout: "" }));
    const listing = JSON.stringify({ plugin: [`file://${made.plugin}`] }, null, 2);
    const run = {
      run: (_: string, args: readonly string[]) =>
        Promise.resolve({ exitCode: 0, stdout: args[0] === "debug" ? listing : "1.18.33", stderr: "", timedOut: false }),
    };
    const checks = await opencodeChecks.check({ ...made.context, run });
    expect(checks.map((check) => [check.check, check.ok])).toEqual([
      ["program", true],
      ["plugin", true],
      ["loaded", true],
    ]);
    expect(checks.every((check) => check.fix === "")).toBe(true);
  });

  it("name the command that fixes a missing, an older and an unloaded plugin", async () => {
    const missing = setup();
    expect((await opencodeChecks.check(missing.context)).at(-1)).toMatchObject({
      check: "plugin",
      ok: false,
      fix: "npx wakeshift setup opencode",
    });
    const older = await installed(() => ({ stdout: "{}" }));
    older.apply([{ path: older.plugin, before: undefined, after: `${readFileSync(older.plugin, "utf8")}//` }]);
    const checks = await opencodeChecks.check(older.context);
    expect(checks[1]).toMatchObject({ check: "plugin", ok: false, fix: "npx wakeshift setup opencode" });
    expect(checks[2]).toMatchObject({ check: "loaded", ok: false });
  });

  it("say nothing where there is neither opencode nor anything of ours", async () => {
    const { context } = setup({ answer: () => ({ exitCode: null, stdout: "" }) });
    expect(await opencodeChecks.check(context)).toEqual([]);
  });

  it("refuse a version with another kind of plugins", async () => {
    const { context } = setup({ answer: () => ({ stdout: "2.0.1" }) });
    expect((await opencodeChecks.check(context))[0]).toMatchObject({
      check: "program",
      ok: false,
      detail: expect.stringMatching(/^opencode 2\.0\.1 is installed, 1\.x is needed: .+ are not woken$/) as string,
    });
  });
});
