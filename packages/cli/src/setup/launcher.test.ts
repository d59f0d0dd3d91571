import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcherPath, launcherText } from "./launcher.ts";

/** A launcher in a home folder of its own, and the command it starts; `undefined`: that is gone. */
function launcherOf(command: string | undefined): { readonly place: string; readonly path: string } {
  const place = mkdtempSync(join(tmpdir(), "wakeshift launcher's "));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const main = join(place, "main.mjs");
  if (command !== undefined) writeFileSync(main, command);
  const path = join(place, "wakeshift");
  writeFileSync(path, launcherText(process.execPath, main, place, "linux"));
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

  test("leaves with 0 and says nothing where the command is gone, so that a hook never breaks its program", () => {
    const { path } = launcherOf(undefined);
    expect(execFileSync(path, ["hook"], { encoding: "utf8" })).toBe("");
  });
});
