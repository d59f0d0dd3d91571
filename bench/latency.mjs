// Latencies, one at a time: a 1 KB echo between two processes, and an emit that comes out of another process's stream.
import { connect } from "node:net";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { call, emitBody } from "./app-client.mjs";
import { startChild } from "./child.mjs";
import { quantile } from "./statistics.mjs";

/** Opens the echo; the answered function gives the median of so many round trips, in milliseconds. */
export async function openEcho() {
  const { port } = await startChild("echo").next();
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  const message = Buffer.alloc(1024, 1);
  const roundTrip = () =>
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
  return async (count) => {
    const latencies = [];
    for (let n = 0; n < count; n += 1) latencies.push(await roundTrip());
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
  };
}

/** Subscribes and opens a stream in another process; the answered function gives the latencies of so many wakes. */
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
  const post = await openPost(`${app}/events/emit`);

  return async (count) => {
    const requests = Array.from({ length: count }, (_, n) =>
      post.prepare(assertions.next(), { ...emitBody(n), arguments: { job: "wake" } }),
    );
    const latencies = [];
    for (const request of requests) {
      const woken = listener.next((message) => message.at !== undefined);
      const acked = listener.next((message) => message.acked !== undefined);
      const started = process.hrtime.bigint();
      const answered = post.send(request);
      const { at } = await woken;
      latencies.push(Number(BigInt(at) - started) / 1e6);
      await Promise.all([answered, acked]);
    }
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
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
