import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const MAIN = join(import.meta.dirname, "../dist/main.js");

test.each([{}, { WAKESHIFT_DATABASE_URL: "" }])("started with %o it names the variable it needs, and makes no database", async (env) => {
  const home = mkdtempSync(join(tmpdir(), "wakeshift-main-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const options = {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, WAKESHIFT_HOME: home, WAKESHIFT_PORT: "0", ...env },
      timeout: 20_000,
    };
    execFile(process.execPath, [MAIN], options, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^wakeshift core: WAKESHIFT_DATABASE_URL isn't set.*wakeshift serve/);
  expect(readdirSync(home)).toEqual([]);
});
