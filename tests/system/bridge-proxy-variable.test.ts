import { randomBytes } from "node:crypto";
import { formatSecret } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";

const REMOTE = "https://wake.example.com";

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
  },
);
