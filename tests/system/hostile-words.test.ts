import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { formatAppKey, formatSecret } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { cliWorld } from "./cli-support/cli-world.ts";

/** A title, a cleared screen in two spellings, right-to-left text, and a line of its own. */
const HOSTILE = "no\u001b]0;title\u0007\u001b[2J\u009b2J\u202e\r\nwakeshift: all is well";
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

/** A core that refuses whatever it is asked, in words that steer a terminal. */
async function hostileCore(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response
      .writeHead(400, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { code: "bad_request", message: HOSTILE } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const key = (): string => formatAppKey(new Uint8Array(randomBytes(32)));

test("what a core answers in an error steers no terminal in a command's output, as text or as JSON", async () => {
  const core = await hostileCore();
  const world = cliWorld();
  const emit = ["emit", "a.b", "--args", "{}", "--payload", "{}", "--core", core];
  for (const args of [emit, [...emit, "--json"], ["app", "list", "--core", core]]) {
    const { code, stdout, stderr } = await world.run(args, { WAKESHIFT_KEY: key(), WAKESHIFT_ADMIN_TOKEN: key() });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("all is well");
    expect(stdout + stderr).not.toMatch(STEERING);
    expect((stdout + stderr).trim().split("\n")).toHaveLength(1);
  }
});

test("what a core answers in an error steers no terminal by the SDK's own log lines or its errors", async () => {
  const program = `
    import { Wakeshift } from "@wakeshift/sdk";
    const wake = new Wakeshift();
    const event = wake.defineEvent("a.b", { description: "x", args: { type: "object" }, payload: { type: "object" } });
    await event.emit({}, {}).catch((error) => console.error(error));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, WAKESHIFT_CORE: await hostileCore(), WAKESHIFT_KEY: key() },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  await once(child, "close");
  expect(stderr).toContain("manifest_failed");
  expect(stderr).toContain("all is well");
  expect(stderr).not.toMatch(STEERING);
  expect(stderr).not.toMatch(/^wakeshift: all is well/m);
});

test("what a core answers in an error steers no terminal in the bridge's log, status and doctor", async () => {
  const core = await hostileCore();
  const world = cliWorld();
  const bridge = await startBridgeWorld({ folder: join(world.home, "wakeshift") });
  await bridge.call("POST", "/v1/allow", { origin: core });
  const entry = {
    v: 1,
    core,
    ticket: formatSecret("ticket", randomBytes(32)),
    id: `sub_${"0".repeat(32)}`,
    event: "a.b",
    arguments: {},
    once: false,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    tool: "t",
    app: { id: "app_1", name: HOSTILE },
  };
  await bridge.report([], { results: [{ tool: "t", meta: { "ai.wakeshift/subscription": [entry] } }] });
  await until("the refusal to be logged", () => readFileSync(bridge.home.log, "utf8").includes("all is well"));
  const outputs = [readFileSync(bridge.home.log, "utf8")];
  for (const args of [["status"], ["status", "--json"], ["list"], ["list", "--json"], ["doctor"]])
    outputs.push((await world.run(args)).stdout);
  for (const output of outputs) {
    expect(output).toContain("all is well");
    expect(output).not.toMatch(STEERING);
    expect(output).not.toMatch(/^wakeshift: all is well/m);
  }
});
