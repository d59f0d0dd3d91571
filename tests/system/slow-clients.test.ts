import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const MANY = 300;

/** Connections that say a byte of their request now and then, and never come to its end. */
async function startSlowClients(place: { readonly port: number } | { readonly path: string }): Promise<readonly Socket[]> {
  const request = "POST /api/wakes/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{";
  const sockets = await Promise.all(
    Array.from(
      { length: MANY },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(place as { port: number }, () => resolve(socket)).on("error", reject);
        }),
    ),
  );
  let said = 0;
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(request[said % request.length] ?? "x");
    said += 1;
  }, 20);
  onTestFinished(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

test("clients that never finish their requests hold no emit and no wake of a core up", async () => {
  const world = await startWorld();
  const { ticket } = await subscribe(world.app);
  await startSlowClients({ port: world.core.port });
  const stream = await (await WakeStream.open(world.url, "h", [ticket])).untilReady();
  const ids = [];
  for (let round = 0; round < 10; round += 1) {
    ids.push(await emit(world.app));
    await pause(20);
  }
  expect((await stream.wakes(10)).map((wake) => wake.occurrence)).toEqual(ids);
  stream.close();
  await world.core.close();
});

test("clients that never finish their requests hold no report and no wake of a bridge up", async () => {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core });
  await startSlowClients({ path: bridge.home.socket });
  await bridge.report([await subscribe(core.app)]);
  await until("the stream", async () => (await bridge.status()).cores[0]?.connected);
  const occurrence = await emit(core.app);
  expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
});
