import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import { recordLatency } from "./support/latency.ts";
import { olderClientPython, startOlderServer } from "./support/older-client.ts";
import { TEST_MS, asked, setUpOpencode, startOpencode, wakesAmong } from "./support/opencode-server.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

describe("an agent behind the published package wakeshift 0.3.0", () => {
  it.each([
    ["the author's own tool", "watch_order", { order: "o-1" }],
    ["subscribe_events", "subscribe_events", { event: "order.changed", arguments: { order: "o-1" } }],
  ])("opencode subscribes through %s and is woken by the package's emit", { timeout: TEST_MS }, async (_, tool, args) => {
    await olderClientPython();
    world = await makeWorld("opencode");
    const created = await world.cliJson<{ readonly key: string | { readonly key: string } }>([
      "app",
      "create",
      "orders",
      "--data",
      join(world.dir, "core"),
    ]);
    const key = typeof created.key === "string" ? created.key : created.key.key;
    const server = await startOlderServer(world, key, { stateless: true });
    await setUpOpencode(world, { orders: server.url });
    const opencode = await startOpencode(world);
    const session = await opencode.open();
    await opencode.say(session, `#tool orders_${tool} ${JSON.stringify(args)}`);
    await world.subscribed(1);
    await opencode.idle(session);

    // Another conversation makes the app emit; it is not subscribed and must not be woken.
    const other = await opencode.open();
    const from = world.model.requests.length;
    const sent = performance.now();
    await opencode.say(
      other,
      '#tool orders_emit {"event":"order.changed","args":{"order":"o-1"},"payload":{"status":"shipped"},"id":"older-1"}',
    );
    const request = await asked(world, "occurrence older-1,", from);
    recordLatency("opencode", "older client, with the emitting agent's own turn", request.at - sent);
    await opencode.idle(session);
    const wakes = wakesAmong(await opencode.messages(session));
    expect(wakes).toHaveLength(1);
    expect(wakes[0]?.text).toMatch(/^\[Wakeshift\] order\.changed from orders \(app_\w+\), occurrence older-1, subscription sub_/);
    expect(wakes[0]?.text).toContain("> Order o-1 is shipped");
    expect(wakesAmong(await opencode.messages(other))).toEqual([]);
  });
});
