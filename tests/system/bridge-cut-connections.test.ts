import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { BridgeWorld } from "./bridge-support/bridge-world.ts";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { startCuttingRelay } from "./bridge-support/cutting-relay.ts";

const DROPS = 100;
const EMITS_A_SECOND = 50;

describe("two bridges, each of whose streams is dropped at random a hundred times under 50 emits a second (PC-34)", () => {
  test("each conversation gets its own wakes, all of them, each once", { timeout: 400_000 }, async () => {
    const relay = await startCuttingRelay();
    const core = await startWorld({ publicUrl: relay.url });
    relay.aim(core.core.port);
    const sides = await Promise.all(
      ["a", "b"].map(async (job) => {
        const bridge = await startBridgeWorld();
        await bridge.call("POST", "/v1/allow", { origin: relay.url });
        await bridge.call("POST", "/v1/set", { key: "wake-budget", value: "100000" });
        const subscribed = await subscribe(core.app, { arguments: { job } });
        await bridge.report([subscribed]);
        return { job, bridge, ticket: subscribed.ticket, emitted: [] as string[], got: [] as string[] };
      }),
    );
    let dropping = true;
    let emitting = true;

    let count = 0;
    const from = performance.now();
    const emitter = async (): Promise<void> => {
      while (dropping || count < DROPS * sides.length) {
        const number = (count += 1);
        await pause(Math.max(0, from + (number * 1_000) / EMITS_A_SECOND - performance.now()));
        const side = sides[number % sides.length];
        side?.emitted.push(await emit(core.app, { arguments: { job: side.job } }));
      }
    };
    // Several at once, so that a slow answer doesn't slow them down.
    const emits = Promise.all(Array.from({ length: 8 }, emitter)).finally(() => (emitting = false));
    const takes = sides.map(async ({ bridge, emitted, got }) => {
      while (emitting || got.length < emitted.length) {
        const { wake } = await bridge.take({ wait_ms: 2_000 });
        if (wake === null) continue;
        await bridge.outcome(wake.delivery, "handed");
        got.push(...wake.occurrences);
      }
    });
    const drops = sides.map(async ({ ticket }) => {
      for (let drop = 0; drop < DROPS; drop += 1) {
        await until("a stream to drop", () => relay.streams(ticket));
        await pause(randomInt(60));
        relay.cut(ticket);
      }
    });
    await Promise.all(drops).finally(() => (dropping = false));
    await emits;
    await Promise.all(takes);

    for (const { bridge, emitted, got } of sides) {
      expect(new Set(emitted).size).toBeGreaterThan(DROPS / 2);
      expect([...got].sort()).toEqual([...emitted].sort());
      await nothingLeft(bridge);
    }
  });
});

/** All is acked, and nothing of it comes again. */
async function nothingLeft(bridge: BridgeWorld): Promise<void> {
  await until("the acks to get through", async () => (await bridge.status()).unsent_acks === 0);
  expect((await bridge.status()).pending).toEqual([]);
  expect((await bridge.take({ wait_ms: 500 })).wake).toBeNull();
}
