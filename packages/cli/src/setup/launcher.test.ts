import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcherPath, launcherText } from "./launcher.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "wakeshift launcher's "));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("the launcher", () => {
  test("PC-30 its path is the same for every version", () => {
    expect(launcherPath("/home/u/w", "linux")).toBe("/home/u/w/bin/wakeshift");
    expect(launcherPath("/home/u/w", "win32")).toMatch(/wakeshift\.cmd$/);
  });

  test("passes arguments on as they are, from a folder with blanks and quotes", () => {
    const place = folder();
    const main = join(place, "main.mjs");
    writeFileSync(main, "console.log(JSON.stringify(process.argv.slice(2)))");
    const path = join(place, "wakeshift");
    writeFileSync(path, launcherText(process.execPath, main, place, "linux"));
    chmodSync(path, 0o700);
    const args = ["hook", "--help", "$(touch pwned)", "`x`", 'a "b"', "c\nd"];
    expect(JSON.parse(execFileSync(path, args, { encoding: "utf8" }))).toEqual(args);
  });

  test.each([
    [{}, "launcher's own"],
    [{ WAKESHIFT_HOME: "/elsewhere" }, "/elsewhere"],
  ])("with %j the home folder is %s", (env, expected) => {
    const place = folder();
    const main = join(place, "main.mjs");
    writeFileSync(main, "console.log(process.env.WAKESHIFT_HOME)");
    const path = join(place, "wakeshift");
    writeFileSync(path, launcherText(process.execPath, main, place, "linux"));
    chmodSync(path, 0o700);
    const printed = execFileSync(path, [], { encoding: "utf8", env }).trim();
    expect(printed).toBe(expected === "/elsewhere" ? expected : place);
  });

  test("leaves with 0 and says nothing where the command is gone, so that a hook never breaks its program", () => {
    const place = folder();
    const path = join(place, "wakeshift");
    writeFileSync(path, launcherText(process.execPath, join(place, "gone.mjs"), place, "linux"));
    chmodSync(path, 0o700);
    expect(execFileSync(path, ["hook"], { encoding: "utf8" })).toBe("");
  });
});
