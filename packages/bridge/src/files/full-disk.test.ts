import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./files.test.support.ts";
import { replaceUserFile } from "./replace-user-file.ts";

const BUILT = new URL("../../dist/files/", import.meta.url).href;
const canLimit = process.platform === "linux" && spawnSync("sh", ["-c", "ulimit -f 1"]).status === 0;

/** Runs code in a process that may write no more than so many blocks of 512 bytes into a file: more is cut short, as on a full disk. */
function nearlyFull(code: string, blocks: number): { readonly status: number | null; readonly stderr: string } {
  const program = `process.on("SIGXFSZ", () => {}); ${code}`;
  const limited = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`;
  return spawnSync("sh", ["-c", limited, process.execPath, program], { encoding: "utf8" });
}

describe.runIf(canLimit)("a write that is cut short", () => {
  test.each([
    ["a state file", "json-file.js", "replaceFileNow"],
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

  test("of a lock leaves none, so that the next process isn't held up by half a holder", () => {
    const folder = temporaryFolder();
    const path = JSON.stringify(join(folder, "lock"));
    const { stderr } = nearlyFull(
      `const { ProcessLock } = await import(${JSON.stringify(`${BUILT}process-lock.js`)}); ProcessLock.acquire(${path});`,
      0,
    );
    expect(stderr).toMatch(/EFBIG/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a user's file that is replaced", () => {
  test("keeps its mode, and a new one is the user's alone", () => {
    const path = join(temporaryFolder(), "file");
    writeFileSync(path, "before");
    chmodSync(path, 0o664);
    replaceUserFile(path, "after");
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["after", 0o664]);
    replaceUserFile(`${path}.new`, "new");
    expect([readFileSync(`${path}.new`, "utf8"), statSync(`${path}.new`).mode & 0o777]).toEqual(["new", 0o600]);
    expect(readdirSync(dirname(path)).sort()).toEqual(["file", "file.new"]);
  });

  test("stays behind its link", () => {
    const real = join(temporaryFolder(), "real");
    const link = join(temporaryFolder(), "link");
    writeFileSync(real, "before");
    symlinkSync(real, link);
    replaceUserFile(link, "after");
    expect([lstatSync(link).isSymbolicLink(), readFileSync(real, "utf8")]).toEqual([true, "after"]);
  });
});
