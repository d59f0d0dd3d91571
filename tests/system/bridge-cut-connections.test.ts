import { randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { startCuttingRelay } from "./bridge-support/cutting-relay.ts";

const EMITS = 60;
const CUTS = 40;

/** Takes and hands over whatever comes, until all has come. */
async function takeAll(bridge: BridgeWorld, count: number): Promise<string[]> {
  const got: string[] = [];
  while (got.length < count) {
    const { wake } = await bridge.take({ wait_ms: 5_000 });
    if (wake === null) continue;
    await bridge.outcome(wake.delivery, "handed");
    got.push(...wake.occurrences);
  }
  return got;
}

describe("two bridges whose connections are cut at random (PC-34)", () => {
  test("each conversation gets its own wakes, all of them, each once", { timeout: 90_000 }, async () => {
    const relay = await startCuttingRelay();
    const core = await startWorld({ publicUrl: relay.url });
    relay.aim(core.core.port);
    const bridges = await Promise.all([startBridgeWorld(), startBridgeWorld()]);
    const jobs = ["a", "b"];
    for (const [place, bridge] of bridges.entries()) {
      await bridge.call("POST", "/v1/allow", { origin: relay.url });
      await bridge.call("POST", "/v1/set", { key: "wake-budget", value: "10000" });
      await bridge.report([await subscribe(core.app, { arguments: { job: jobs[place] } })]);
    }
    const taking = bridges.map((bridge) => takeAll(bridge, EMITS));
    let emitting = true;
    const cutting = (async () => {
      for (let cuts = 0; cuts < CUTS || emitting; cuts += 1) {
        await until("something to cut", () => relay.open() > 0, 20_000);
        await new Promise((resolve) => setTimeout(resolve, randomInt(60)));
        relay.cut();
        if (cuts >= CUTS) break;
      }
    })();
    const emitted: string[][] = [[], []];
    for (let count = 0; count < EMITS; count += 1) {
      for (const [place, job] of jobs.entries()) emitted[place]?.push(await emit(core.app, { arguments: { job } }));
    }
    emitting = false;
    await cutting;
    const got = await Promise.all(taking);
    for (const [place, ids] of got.entries()) expect([...ids].sort()).toEqual([...(emitted[place] ?? [])].sort());
    for (const bridge of bridges) {
      await until("the acks to get through", async () => (await bridge.status()).unsent_acks === 0, 20_000);
      expect((await bridge.status()).pending).toEqual([]);
      expect((await bridge.take({ wait_ms: 500 })).wake).toBeNull();
    }
  });
});
