// Latencies, one at a time: a 1 KB echo between two processes, and an emit that comes out of another process's stream. They take turns,
// since a machine that had nothing to do for some milliseconds answers either several times later than a busy one.
import { connect } from "node:net";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { call, emitBody } from "./app-client.mjs";
import { startChild } from "./child.mjs";
import { quantile } from "./statistics.mjs";

/** So many of each in turns: their medians and 99th percentiles, in milliseconds. `echoBusy`: echoes without a pause between them. */
export async function measureLatencies(count, { echo, wake }) {
  const taken = { echo: [], wake: [], echoBusy: [] };
  wake.prepare(count);
  for (let n = 0; n < count; n += 1) {
    taken.wake.push(await wake.next());
    taken.echo.push(await echo());
  }
  for (let n = 0; n < count; n += 1) taken.echoBusy.push(await echo());
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, { p50: quantile(all, 0.5), p99: quantile(all, 0.99) }]));
}

/** Opens the echo; the answered function makes one round trip, and gives the milliseconds it took. */
export async function openEcho() {
  const { port } = await startChild("echo").next();
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
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

/** Subscribes and opens a stream in another process. `prepare` signs so many emits ahead; `next` sends one, and gives its wake's milliseconds. */
export async function openWake(core, assertions) {
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
  const post = await openPost(`${app}/events/emit`);

  let requests = [];
  return {
    prepare: (count) => {
      requests = Array.from({ length: count }, (_, n) => post.prepare(assertions.next(), { ...emitBody(n), arguments: { job: "wake" } }));
    },
    next: async () => {
      const woken = listener.next((message) => message.at !== undefined);
      const acked = listener.next((message) => message.acked !== undefined);
      const started = process.hrtime.bigint();
      const answered = post.send(requests.pop());
      const { at } = await woken;
      await Promise.all([answered, acked]);
      return Number(BigInt(at) - started) / 1e6;
    },
  };
}

/** One kept connection that sends prepared requests, so that the sender's own work is no part of the latency. */
async function openPost(url) {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  socket.setEncoding("utf8");
  return {
    prepare: (authorization, body) => {
      const text = JSON.stringify(body);
      const head = [
        `POST ${pathname} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: ${authorization}`,
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(text)}`,
      ];
      return `${head.join("\r\n")}\r\n\r\n${text}`;
    },
    send: (request) =>
      new Promise((resolve, reject) => {
        let answer = "";
        socket.on("data", function onData(chunk) {
          answer += chunk;
          // An emit's answer is one flat object.
          if (!answer.endsWith("}")) return;
          socket.off("data", onData);
          if (answer.startsWith("HTTP/1.1 2")) resolve(undefined);
          else reject(new Error(`an emit was answered ${answer.slice(0, 300)}`));
        });
        socket.write(request);
      }),
  };
}
