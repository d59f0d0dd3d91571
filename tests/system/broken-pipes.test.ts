import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { cliWorld } from "./cli-support/cli-world.ts";

const CORE_MAIN = join(import.meta.dirname, "../../packages/core/dist/main.js");
const SDK = new URL("../../packages/sdk/dist/index.js", import.meta.url).href;

/** An author's process: it logs for want of a key and of a core, again and again, and says so on stdout. */
const AUTHOR = `
  const { Wakeshift } = await import(${JSON.stringify(SDK)});
  for (let time = 0; time < 5; time += 1) {
    const wake = new Wakeshift({ core: "http://127.0.0.1:1", key: "wst_malformed" });
    const event = wake.defineEvent("a.b", { description: "A", args: { type: "object" }, payload: { type: "object" } });
    await event.emit({}, {}).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.stdout.write("alive");
`;

test("a log line that nobody reads any more doesn't end an author's process (PC-54)", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", AUTHOR], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.destroy();
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, said]).toEqual([0, "alive"]);
});

/** Takes the reader of both streams away, makes the core log, and looks whether it still answers. */
async function expectOutlivesItsReaders(child: ChildProcess, url: string): Promise<void> {
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let time = 0; time < 10; time += 1) {
    await fetch(`${url}/api/apps/v1/app`).then((response) => response.text());
    expect(await fetch(`${url}/healthz`).then((response) => response.status)).toBe(200);
  }
  expect(child.exitCode).toBeNull();
}

test("a core goes on when whoever read its log is gone, as after `| head` (PC-54)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "broken-pipes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, WAKESHIFT_DATABASE_URL: join(folder, "core.db"), WAKESHIFT_PORT: "0", WAKESHIFT_LOG_LEVEL: "debug" };
  const child = spawn(process.execPath, [CORE_MAIN], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null) await once(child, "exit");
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  await expectOutlivesItsReaders(child, (JSON.parse(line) as { url: string }).url);
});

test("so does one that `wakeshift serve` runs (PC-54)", async () => {
  const { first, child } = await cliWorld().start<{ url: string }>(["serve", "--port", "0"], { WAKESHIFT_LOG_LEVEL: "debug" });
  await expectOutlivesItsReaders(child, first.url);
});

test("a command whose output nobody reads ends by its own code (PC-54)", async () => {
  const world = cliWorld();
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../packages/cli/dist/main.js"), "no-such-command"], {
    env: { ...process.env, WAKESHIFT_HOME: join(world.home, "wakeshift") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(2);
});
