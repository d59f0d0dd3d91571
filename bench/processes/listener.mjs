// A bridge's side of one stream, in a process of its own. Tells its parent `{occurrence, at}` the moment a wake is parsed (monotonic
// nanoseconds, which all processes of a machine share), then acks it and tells `{acked}`.
import { Agent, request } from "node:http";
import { createParser } from "eventsource-parser";
import { call } from "../app-client.mjs";

const agent = new Agent({ keepAlive: true });

process.once("message", ({ url, holder, ticket }) => {
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === "ready") process.send?.({ ready: true });
      if (event === "wake") void woken(JSON.parse(data), process.hrtime.bigint());
    },
  });
  const body = JSON.stringify({ holder, tickets: [ticket] });
  const outgoing = request(
    `${url}/api/wakes/v1/stream`,
    { method: "POST", headers: { "content-type": "application/json", "content-length": body.length } },
    (response) => {
      if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
      response.setEncoding("utf8").on("data", (chunk) => parser.feed(chunk));
    },
  );
  outgoing.setNoDelay(true);
  outgoing.end(body);

  async function woken({ occurrence }, at) {
    process.send?.({ occurrence, at: String(at) });
    await call({ url: `${url}/api/wakes/v1/ack`, body: { holder, acks: [{ ticket, occurrence, state: "handed" }] }, agent });
    process.send?.({ acked: occurrence });
  }
});
