import { type CoreStatus, registerLocalCore } from "@wakeshift/bridge";
import { expect, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startHoldingRelay } from "./bridge-support/holding-relay.ts";
import { statusJson, statusText } from "./cli-support/status-command.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";

/** As short as a test may be, and as long as a busy machine needs. */
const TIMES = { WAKESHIFT_STREAM_READY: "1s", WAKESHIFT_STREAM_AGAIN: "3s" };

async function coreOf(bridge: BridgeWorld): Promise<CoreStatus | undefined> {
  return (await bridge.status()).cores[0];
}

test.each(["whole", "body"] as const)(
  "a relay that holds each stream back until it ends (%s) delays no wake for good: the core is polled, status says so, and without the relay it is streamed from again (PC-52)",
  async (holding) => {
    const core = await startWorld();
    const relay = await startHoldingRelay(core.url, holding);
    const bridge = await startBridgeWorld({ env: TIMES });
    registerLocalCore(bridge.home.folder, relay.url);
    const one = await subscribe(core.app);
    const [entry] = one.body.addition.meta["ai.wakeshift/subscription"];
    const meta = { "ai.wakeshift/subscription": [{ ...entry, core: relay.url }] };
    await bridge.report([], { results: [{ tool: "start_crawl", meta }] });

    const first = await emit(core.app);
    const { wake } = await bridge.take({ wait_ms: 45_000 });
    expect(wake?.occurrences).toEqual([first]);
    await bridge.outcome(wake?.delivery ?? "", "seen");
    expect(await coreOf(bridge)).toMatchObject({ connected: true, way: "poll", streams: 0, detail: "" });
    expect(await statusText(bridge)).toContain("connected by polling, since streams are held back on the way");
    expect((await statusJson(bridge)).cores?.[0]?.way).toBe("poll");

    relay.hold("nothing");
    await until("a stream", async () => (await coreOf(bridge))?.way === "stream");
    expect(await statusText(bridge)).toContain("connected by stream");
    const second = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([second]);
  },
);
