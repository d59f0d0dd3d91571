import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const start = (...args: string[]): { code: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "start.mjs"), ...args], { encoding: "utf8" });
  return { code: status, stdout, stderr };
};

describe("npm start", () => {
  test("names its options when it is asked, and starts nothing", () => {
    expect(start("--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--mcp-port N") as string, stderr: "" });
  });

  test.each([
    ["--data", "Unknown option '--data'"],
    ["--port=x", "--port takes a number from 0 to 65535."],
    ["--mcp-port=70000", "--mcp-port takes a number from 0 to 65535."],
  ])("refuses %s in a sentence, with the options there are", (argument, sentence) => {
    const { code, stderr } = start(argument);
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain("--once");
    expect(stderr).not.toContain("    at ");
  });
});
