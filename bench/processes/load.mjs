// Emits with 64 connections from a process of its own. Each message `{core, count}` from the parent is one run; every assertion is
// signed before the clock starts, so that the load costs the machine as little as it can.
import autocannon from "autocannon";
import { Assertions, emitBody } from "../app-client.mjs";

const CONNECTIONS = 64;

process.on("message", async ({ core, count }) => {
  const assertions = new Assertions(core);
  const requests = Array.from({ length: count }, (_, n) => ({ authorization: assertions.next(), body: JSON.stringify(emitBody(n)) }));
  const started = performance.now();
  // The run's own end is seen only at the load generator's next whole second.
  let answered = started;
  const run = autocannon({
    url: core.url,
    connections: CONNECTIONS,
    amount: count,
    requests: [
      {
        method: "POST",
        path: "/api/apps/v1/events/emit",
        setupRequest: (request) => {
          const { authorization, body } = requests.pop();
          return { ...request, headers: { "content-type": "application/json", authorization }, body };
        },
      },
    ],
  });
  run.on("response", () => (answered = performance.now()));
  const result = await run;
  const seconds = (answered - started) / 1000;
  process.send?.({
    perSecond: result["2xx"] / seconds,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  });
});
