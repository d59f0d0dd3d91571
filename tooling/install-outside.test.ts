import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installOutside } from "./install-outside.mjs";
import type { InstallSet } from "./install-outside.mjs";

const fail = (message: string): never => {
  throw new Error(message);
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "install-outside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A package whose command works only after its install script has run, as those of agent programs. */
function programNeedingItsScript(): string {
  const folder = temporaryFolder();
  const manifest = { name: "program", version: "1.0.0", bin: { program: "program.cjs" }, scripts: { postinstall: "node install.cjs" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "program.cjs"), '#!/usr/bin/env node\nrequire("./installed.cjs");\n');
  writeFileSync(join(folder, "install.cjs"), 'require("node:fs").writeFileSync("installed.cjs", "");\n');
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json"], { cwd: folder, encoding: "utf8" })) as [{ filename: string }];
  return join(folder, packed.filename);
}

const program = (changes: Partial<InstallSet> = {}): InstallSet => ({
  name: "program",
  version: "1.0.0",
  specs: [programNeedingItsScript()],
  scripts: ["program"],
  proof: ["program", "--version"],
  ...changes,
});

test("an agent program is installed with its install script, works, and isn't installed again", async () => {
  const cache = temporaryFolder();
  await installOutside({ cache, size: "small", fail }, [program()]);
  execFileSync(join(cache, "program-1.0.0", "node_modules", ".bin", "program"));
  // Nothing is there to install from.
  await installOutside({ cache, size: "small", fail }, [program({ specs: ["./missing.tgz"] })]);
});

test("a half-installed agent program in the cache is installed again", async () => {
  const cache = temporaryFolder();
  const bin = join(cache, "program-1.0.0", "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "program"), "#!/bin/sh\necho 'native binary not installed' >&2\nexit 1\n", { mode: 0o755 });
  await installOutside({ cache, size: "small", fail }, [program()]);
  execFileSync(join(bin, "program"));
});

test("an agent program that doesn't start after its install is refused with its own words, and isn't kept in the cache", async () => {
  const cache = temporaryFolder();
  const installing = installOutside({ cache, size: "small", fail }, [program({ scripts: [] })]);
  await expect(installing).rejects.toThrow(/`program --version` fails in it:[^]*Cannot find module '\.\/installed\.cjs'/);
  expect(readdirSync(cache)).toEqual([]);
});

test("a package that can't be fetched is refused with npm's reason, and leaves nothing in the cache", async () => {
  const cache = temporaryFolder();
  const installing = installOutside({ cache, size: "small", fail }, [program({ specs: ["./missing.tgz"] })]);
  await expect(installing).rejects.toThrow(/could not install \.\/missing\.tgz from npm[^]*ENOENT/);
  expect(existsSync(join(cache, "program-1.0.0"))).toBe(false);
});
