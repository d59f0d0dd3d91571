// Latencies, one at a time: a 1 KB echo between two processes, and an emit that comes out of another process's stream. They take turns,
// since a machine that had nothing to do for some milliseconds answers either several times later than a busy one.
import { connect } from "node:net";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { call, emitBody } from "./app-client.mjs";
import { startChild } from "./child.mjs";
import { openKeptPost } from "./kept-post.mjs";
import { quantile } from "./statistics.mjs";
import { within } from "./within.mjs";

/** So many of each in turns: their medians and 99th percentiles, in milliseconds. `echoBusy`: echoes without a pause between them. */
export function measureLatencies(count, { echo, openWakes }) {
  return within("its wakes and echoes", takeTurns(count, { echo, openWakes }));
}

async function takeTurns(count, { echo, openWakes }) {
  const taken = { echo: [], wake: [], echoBusy: [] };
  const wakes = await openWakes(count);
  for (let n = 0; n < count; n += 1) {
    taken.wake.push(await wakes.next());
    taken.echo.push(await echo());
  }
  wakes.close();
  for (let n = 0; n < count; n += 1) taken.echoBusy.push(await echo());
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, { p50: quantile(all, 0.5), p99: quantile(all, 0.99) }]));
}

/** Opens the echo. The returned function makes one round trip and resolves to the milliseconds it took. */
export async function openEcho() {
  const { port } = await startChild("echo").next();
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await within("the echo's connection", once(socket, "connect"));
  const message = Buffer.alloc(1024, 1);
  return () =>
    new Promise((resolve) => {
      let missing = message.length;
      const started = process.hrtime.bigint();
      socket.on("data", function onData(chunk) {
        missing -= chunk.length;
        if (missing > 0) return;
        socket.off("data", onData);
        resolve(Number(process.hrtime.bigint() - started) / 1e6);
      });
      socket.write(message);
    });
}

/**
 * Subscribes and opens a stream in another process. The returned function signs so many emits and opens a connection for them; its
 * `next` sends one and resolves to its wake's milliseconds.
 */
export async function openWakes(core, assertions) {
  const app = `${core.url}/api/apps/v1`;
  const subscribed = await call({
    url: `${app}/event-subscriptions`,
    authorization: assertions.next(),
    body: { call: { client: "bench", tool: "start_crawl" }, name: "crawl.finished", arguments: { job: "wake" }, via: "tool" },
  });
  const [{ ticket }] = subscribed.addition.meta["ai.wakeshift/subscription"];
  const listener = startChild("listener");
  listener.send({ url: core.url, holder: randomBytes(24).toString("base64url"), ticket });
  await listener.next((message) => message.ready);
  return async (count) => {
    const post = await openKeptPost(`${app}/events/emit`);
    const requests = Array.from({ length: count }, (_, n) =>
      post.prepare(assertions.next(), { ...emitBody(n), arguments: { job: "wake" } }),
    );
    return {
      next: async () => {
        const woken = listener.next((message) => message.at !== undefined);
        const acked = listener.next((message) => message.acked !== undefined);
        const started = process.hrtime.bigint();
        const answered = post.send(requests.pop());
        const [{ at }] = await Promise.all([woken, answered, acked]);
        return Number(BigInt(at) - started) / 1e6;
      },
      close: post.close,
    };
  };
}
