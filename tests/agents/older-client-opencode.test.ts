import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpencodeServer } from "./support/opencode-server.ts";
import type { World } from "./support/world.ts";
import { recordLatency } from "./support/latency.ts";
import { olderClientPython, startOlderServer } from "./support/older-client.ts";
import { PATIENCE_MS, TEST_MS, asked, setUpOpencode, startOpencode, subscriptionsOf, wakesAmong } from "./support/opencode-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

describe("an agent behind the published package wakeshift 0.3.0", { timeout: TEST_MS }, () => {
  let world: World;
  let opencode: OpencodeServer;

  beforeAll(async () => {
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
    opencode = await startOpencode(world);
  }, TEST_MS);

  afterAll(async () => {
    await world.close();
  });

  it.each([
    ["the author's own tool", "watch_order", "o-1", { order: "o-1" }],
    ["subscribe_events", "subscribe_events", "o-2", { event: "order.changed", arguments: { order: "o-2" } }],
  ])("subscribes through %s and is woken by the package's emit", async (_, tool, order, args) => {
    const session = await opencode.open();
    await opencode.say(session, `#tool orders_${tool} ${JSON.stringify(args)}`);
    await waitUntil(
      "the bridge to hold the subscription",
      async () => (await subscriptionsOf(world)).some((one) => one.conversation === session && one.event === "order.changed"),
      PATIENCE_MS,
    );
    await opencode.idle(session);

    // Another conversation makes the app emit; it is not subscribed and must not be woken.
    const other = await opencode.open();
    const from = world.model.requests.length;
    const sent = performance.now();
    const occurrence = `changed-${order}`;
    const emit = { event: "order.changed", args: { order }, payload: { status: "shipped" }, id: occurrence };
    await opencode.say(other, `#tool orders_emit ${JSON.stringify(emit)}`);
    const request = await asked(world, `occurrence ${occurrence},`, from);
    recordLatency("opencode", "published 0.3.0, with the emitting agent's turn", request.at - sent);
    await opencode.idle(session);
    const wakes = wakesAmong(await opencode.messages(session));
    expect(wakes).toHaveLength(1);
    expect(wakes[0]?.text).toMatch(/^\[Wakeshift\] order\.changed from orders \(app_\w+\), occurrence changed-o-\d, subscription sub_/);
    expect(wakes[0]?.text).toContain(`> Order ${order} is shipped`);
    expect(wakesAmong(await opencode.messages(other))).toEqual([]);
  });
});
