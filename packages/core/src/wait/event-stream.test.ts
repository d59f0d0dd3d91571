import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { EventStream } from "./event-stream.ts";

test("a stream whose client stopped reading is given up after a minute, and not before", async () => {
  let now = 0;
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const opened = new Promise<EventStream>((resolve) => {
    server.once("request", (_, response) => {
      const made = new EventStream(response, { monotonic: () => now, pingMs: 15_000, onRoom: () => undefined });
      closed = new Promise((done) => response.once("close", done));
      made.begin();
      resolve(made);
    });
  });
  let closed: Promise<unknown> = Promise.resolve();
  const client = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }, (response) => response.pause()).end();
  client.on("error", () => undefined);
  onTestFinished(() => void client.destroy());
  const stream = await opened;
  while (stream.hasRoom()) {
    stream.wake(JSON.stringify("x".repeat(100_000)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  let gone = false;
  void closed.then(() => (gone = true));
  now += 60_000;
  stream.keepAlive();
  await new Promise((resolve) => setImmediate(resolve));
  expect(gone).toBe(false);
  now += 1;
  stream.keepAlive();
  await closed;
  expect(stream.hasRoom()).toBe(false);
});
