import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { calledAs, ownCommand } from "./own-command.ts";

function installed(): { readonly bin: string; readonly script: string; readonly link: string } {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [bin, packages] = [join(folder, "bin"), join(folder, "lib")];
  mkdirSync(bin);
  mkdirSync(packages);
  const script = join(packages, "wakeshift.js");
  writeFileSync(script, "");
  const link = join(bin, "wakeshift");
  symlinkSync(script, link);
  return { bin, script, link };
}

test("a command on the PATH is shown by its name alone, whether it was called by its link or its file", () => {
  const { bin, script, link } = installed();
  expect([link, script].map((called) => calledAs({ PATH: `/nowhere:${bin}` }, called))).toEqual(["wakeshift", "wakeshift"]);
});

test.each([
  ["npx wakeshift", "npm/10.8.2 node/v20.20.2 linux x64"],
  ["pnpm dlx wakeshift", "pnpm/9.1.0 npm/? node/v20.20.2 linux x64"],
  ["yarn dlx wakeshift", "yarn/4.2.0 npm/? node/v20.20.2 linux x64"],
  ["bunx wakeshift", "bun/1.1.0 npm/? node/v20.20.2 linux x64"],
])("a run by a package runner is shown as %s", (shown, userAgent) => {
  const { bin, link } = installed();
  expect(calledAs({ PATH: bin, npm_config_user_agent: userAgent }, link)).toBe(shown);
});

test("a file that is called by its path is shown with its path, quoted where a shell needs it", () => {
  expect(calledAs({ PATH: "/usr/bin" }, "/opt/wakeshift.js")).toBe("node /opt/wakeshift.js");
  expect(calledAs({}, "/opt/it's here/wakeshift.js")).toBe(`node '/opt/it'\\''s here/wakeshift.js'`);
});

test("what the launcher says counts before everything else, and without any clue it is npx", () => {
  const { bin, link } = installed();
  expect(calledAs({ PATH: bin, WAKESHIFT_COMMAND: "wakeshift" }, "/opt/main.js")).toBe("wakeshift");
  expect(calledAs({ PATH: bin, WAKESHIFT_COMMAND: "" }, link)).toBe("wakeshift");
  expect(calledAs({}, "/opt/vitest.mjs")).toBe("npx wakeshift");
});

test("what is shown after it is quoted, and what comes from outside can't be an option", () => {
  expect(ownCommand(["setup", "codex"])).toBe("npx wakeshift setup codex");
  expect(ownCommand(["deny"], ["-x;touch y"])).toBe("npx wakeshift deny -- '-x;touch y'");
});
