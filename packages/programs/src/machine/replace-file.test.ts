import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.test.support.ts";

const BUILT = new URL("../../dist/machine/", import.meta.url).href;
const canLimit = process.platform === "linux" && spawnSync("sh", ["-c", "ulimit -f 1"]).status === 0;

/** Runs code in a process that may write no more than so many blocks of 512 bytes into a file: more is cut short, as on a full disk. */
function nearlyFull(code: string, blocks: number): { readonly status: number | null; readonly stderr: string } {
  const program = `process.on("SIGXFSZ", () => {}); ${code}`;
  const limited = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`;
  return spawnSync("sh", ["-c", limited, process.execPath, program], { encoding: "utf8" });
}

describe.runIf(canLimit)("a write that is cut short", () => {
  test.each([
    ["a state file", "replace-file.js", "replaceFileNow"],
    ["a user's file", "replace-user-file.js", "replaceUserFile"],
  ])("fails, leaves %s as it was and no other file", (_what, file, name) => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    writeFileSync(path, "before");
    const { status, stderr } = nearlyFull(
      `const { ${name} } = await import(${JSON.stringify(BUILT + file)}); ${name}(${JSON.stringify(path)}, "x".repeat(100_000));`,
      2,
    );
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/EFBIG/);
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["before", ["file"]]);
  });
});
