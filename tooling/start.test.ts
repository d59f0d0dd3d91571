import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";

const start = (...args: string[]): { code: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "start.mjs"), ...args], { encoding: "utf8" });
  return { code: status, stdout, stderr };
};

function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), "wakeshift-start-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

describe("npm start", () => {
  test("advises only what it takes itself where the core's port is taken", { timeout: 120_000 }, async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const child = spawn(process.execPath, [join(import.meta.dirname, "start.mjs"), "--port", String(port)], {
      env: { ...process.env, WAKESHIFT_HOME: freshHome() },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
    expect(stderr).toContain(`port ${String(port)}`);
    expect(stderr).toContain("with WAKESHIFT_HOME");
    expect(stderr).not.toContain("--data");
  });

  test.skipIf(process.platform === "win32")("ends its servers when npm gets SIGTERM", { timeout: 180_000 }, async () => {
    const npm = spawn("npm", ["start", "--", "--port", "0", "--mcp-port", "0"], {
      cwd: join(import.meta.dirname, ".."),
      env: { ...process.env, WAKESHIFT_HOME: freshHome() },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let url = "";
    await new Promise<void>((resolve, reject) => {
      npm.once("exit", () => reject(new Error("npm start ended")));
      createInterface({ input: npm.stdout }).on("line", (line) => {
        url = /^Core listening on (\S+),/.exec(line)?.[1] ?? url;
        if (line.startsWith("Ctrl-C")) resolve();
      });
    });
    expect((await fetch(`${url}/healthz`)).ok).toBe(true);
    npm.kill("SIGTERM");
    const answers = (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers, { timeout: 60_000, interval: 100 }).toBe(false);
  });

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
