import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./files/files.test.support.ts";
import { commandRunner } from "./command-runner.ts";

const node = (script: string, ...args: string[]): readonly string[] => ["-e", script, "--", ...args];

describe("commands of agent programs", () => {
  test("get their arguments and their input as they are, through no shell (PC-28)", async () => {
    const folder = temporaryFolder();
    const hostile = [
      "--help",
      "-",
      `$(touch ${join(folder, "pwned")})`,
      "`id`",
      "%PATH%",
      '"; x',
      "one\ntwo\nthree",
      "\u{1f468}\u200d\u{1f469}",
    ];
    const script = "process.stdin.on('data', (c) => process.stdout.write(c)); process.stdout.write(JSON.stringify(process.argv.slice(1)))";
    const result = await commandRunner.run(process.execPath, node(script, ...hostile), { input: "input" });
    expect(result).toMatchObject({ exitCode: 0, stderr: "", timedOut: false });
    expect(result.stdout).toBe(`${JSON.stringify(hostile)}input`);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  test("that aren't there, or leave with a code, say so", async () => {
    expect(await commandRunner.run("/nonexistent/command", [])).toMatchObject({
      exitCode: null,
      timedOut: false,
      stderr: expect.stringContaining("ENOENT") as string,
    });
    expect(await commandRunner.run(process.execPath, node("process.exit(3)"))).toMatchObject({ exitCode: 3 });
  });

  test("that hang are killed, also where they don't listen and a grandchild holds the pipes", async () => {
    const script =
      "process.on('SIGTERM', () => {}); require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], {stdio: 'inherit'}); setInterval(() => {}, 1000)";
    const result = await commandRunner.run(process.execPath, node(script), { timeoutMs: 300 });
    expect(result).toMatchObject({ exitCode: null, timedOut: true });
  });

  test("that talk without end are cut at 256 KiB", async () => {
    const result = await commandRunner.run(process.execPath, node("process.stdout.write('x'.repeat(1_000_000))"));
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toHaveLength(262_144);
  });
});
