import { randomBytes } from "node:crypto";
import { formatSecret } from "@wakeshift/protocol";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { startBridge } from "@wakeshift/bridge";
import { expect, onTestFinished, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { BUILT } from "./cli-support/cli-world.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";

const REMOTE = "https://wake.example.com";

/** A proxy that reaches nothing. Gives its URL and the first lines of what it was asked. */
async function startProxy(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      asked.push(chunk.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test.each(["proxy.corp.example:3128", "127.0.0.1:3128", "socks5h://user:hunter2@127.0.0.1:1080", "http://"])(
  "PC-51 a bridge started with HTTPS_PROXY=%s wakes for a core on loopback, and says of one that needs the proxy what is wrong with the variable",
  async (value) => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core, env: { https_proxy: "", HTTPS_PROXY: value } });
    const subscribed = await subscribe(core.app);
    const [local] = subscribed.body.addition.meta["ai.wakeshift/subscription"];
    const id = `sub_${randomBytes(16).toString("hex")}`;
    const remote = { ...local, core: REMOTE, id, ticket: formatSecret("ticket", randomBytes(32)) };
    await bridge.report([], { results: [{ tool: "start_crawl", meta: { "ai.wakeshift/subscription": [local, remote] } }] });
    await bridge.call("POST", "/v1/allow", { origin: REMOTE });
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
    const detail = await until("the remote core to be tried", async () => {
      const found = (await bridge.status()).cores.find((each) => each.origin === REMOTE)?.detail;
      return found !== undefined && found !== "connecting" && found;
    });
    expect(detail).toContain("HTTPS_PROXY, as the bridge was started with it, is not a valid proxy URL");
    expect(detail).not.toContain("hunter2");

    // Commands and hooks run with the broken variable, and say nothing of it to the program.
    const run = (args: readonly string[]) => {
      const running = promisify(execFile)(process.execPath, [BUILT, ...args], { env: bridge.env });
      running.child.stdin?.end("{}");
      return running;
    };
    expect((await run(["status"])).stdout).toContain("is not a valid proxy URL");
    expect((await run(["hook", "claude-code", "Stop"])).stderr).toBe("");

    const proxy = await startProxy();
    const before = (await bridge.status()).pid;
    await startBridge({ ...bridge.env, HTTPS_PROXY: proxy.url });
    await until("the core to be asked for through the proxy", () => proxy.asked.includes("CONNECT wake.example.com:443 HTTP/1.1"));
    expect((await bridge.status()).pid).toBe(before);
  },
);
