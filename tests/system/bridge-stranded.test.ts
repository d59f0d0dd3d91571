import { listSubscriptions } from "@wakeshift/bridge";
import { expect, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { CRAWL, SDK, emit, startWorld, subscribe } from "./core-support/core-world.ts";

test("list marks a subscription whose event requires other arguments now, also after a restart, and not once the event is as it was", async () => {
  const world = await startWorld();
  const bridge = await startBridgeWorld({ core: world });
  const subscribed = await subscribe(world.app);
  await bridge.report([subscribed]);
  const isListedAs = (state: string): Promise<unknown> =>
    until(`it to be ${state}`, async () => {
      const { subscriptions } = await listSubscriptions(bridge.env);
      return subscriptions.length === 1 && subscriptions[0]?.state === state;
    });
  const publish = (event: object): Promise<unknown> => world.app.call("PUT", "/manifest", { sdk: SDK, events: [event] });
  await until("a stream", async () => (await bridge.status()).cores.some((core) => core.streams > 0));
  await isListedAs("live");
  await publish({ ...CRAWL, arguments: { type: "object", properties: { job: {}, site: {} }, required: ["job", "site"] } });
  await isListedAs("stranded");
  process.kill((await bridge.status()).pid, "SIGKILL");
  await until("another bridge", async () => (await bridge.status().catch(() => undefined))?.cores.some((core) => core.streams > 0));
  await isListedAs("stranded");
  await publish(CRAWL);
  await isListedAs("live");
  const occurrence = await emit(world.app);
  expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
});
