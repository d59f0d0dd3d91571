import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./files.test.support.ts";

const BUILT = new URL("../../dist/files/", import.meta.url).href;
const canLimit = process.platform === "linux" && spawnSync("sh", ["-c", "ulimit -f 1"]).status === 0;

/** Runs code in a process that may write no more than so many blocks of 512 bytes into a file: more is cut short, as on a full disk. */
function nearlyFull(code: string, blocks: number): { readonly status: number | null; readonly stderr: string } {
  const program = `process.on("SIGXFSZ", () => {}); ${code}`;
  const limited = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`;
  return spawnSync("sh", ["-c", limited, process.execPath, program], { encoding: "utf8" });
}

describe.runIf(canLimit)("a write that is cut short", () => {
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
