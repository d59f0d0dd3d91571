// All measurements of a round run one after the other, and the rounds after each other, so that a machine that slows down slows all alike.
import { Assertions, publish } from "./app-client.mjs";
import { startChild } from "./child.mjs";
import { measureLatencies, openEcho, openWakes } from "./latency.mjs";
import { measureOverhead } from "./overhead.mjs";
import { WAIT_LIMIT_MS } from "./within.mjs";

const SYNC_MS = 1_000;
const CHECK_MS = 300;
/** The least emits a second that a run may come down to before it is given up. */
const SLOWEST_PER_SECOND = 20;

/**
 * What a round measures, beside its emits. `latencies`: echoes and wakes, in turns. `overhead`: as `measureOverhead` takes it.
 * @typedef {{ latencies: number, overhead: { pairs: number, share: number } }} Size
 */
/** @type {Size} */
export const FULL = { latencies: 200, overhead: { pairs: 3, share: 1 } };
/** Enough to see that everything can be measured. @type {Size} */
export const QUICK = { latencies: 20, overhead: { pairs: 1, share: 0.1 } };

/**
 * @param {{ folder: string, rounds: number, count: number, size: Size, say: (line: string) => void }} options
 * @returns the measurements of each counted round.
 */
export async function measureRounds({ folder, rounds, count, size, say }) {
  const durable = await startCore("durable", folder);
  const nothing = await startCore("nothing");
  const bare = await startBare(durable);
  const load = startChild("load");
  const sync = startChild("sync", [folder]);
  const check = startChild("check");
  const echo = await openEcho();
  const openSeries = await openWakes(durable.core, durable.assertions);
  const emits = async ({ core, cpu }) => {
    const before = await cpu();
    load.send({ core, count });
    const run = await load.next(undefined, WAIT_LIMIT_MS + (count / SLOWEST_PER_SECOND) * 1_000);
    return { ...run, cpuMicros: ((await cpu()) - before) / count };
  };
  const rateOf = async (child, ms) => {
    child.send({ ms });
    return child.next();
  };

  const measured = [];
  // The first round warms everything up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    // Which server comes first alternates.
    const order = round % 2 === 0 ? [durable, nothing, bare] : [bare, nothing, durable];
    const result = {
      ...(await measureLatencies(size.latencies, { echo, openWakes: openSeries })),
      sync: await rateOf(sync, SYNC_MS),
      check: await rateOf(check, CHECK_MS),
      durable: undefined,
      nothing: undefined,
      bare: undefined,
      // Warms its own processes up.
      overhead: round === 0 ? undefined : await measureOverhead(size.overhead),
    };
    for (const server of order) {
      const run = await emits(server);
      if (run.failed > 0) throw new Error(`${run.failed} emits of a run failed (${server.kind})`);
      result[server.kind] = run;
    }
    say(
      `round ${round === 0 ? "0 (warm-up)" : round}: durable ${Math.round(result.durable.perSecond)}/s, nothing ${Math.round(result.nothing.perSecond)}/s, bare ${Math.round(result.bare.perSecond)}/s, syncs ${Math.round(result.sync.perSecond)}/s, wake ${result.wake.p50.toFixed(2)} ms, echo ${result.echo.p50.toFixed(3)} ms`,
    );
    if (round > 0) measured.push(result);
  }
  return measured;
}

/** What bounds both from above: the least such a server can do. */
async function startBare({ core, assertions }) {
  const child = startChild("bare", [assertions.publicKey]);
  const { url } = await child.next();
  return { kind: "bare", core: { ...core, url }, cpu: async () => 0 };
}

async function startCore(kind, folder = "") {
  const child = startChild("core", [kind, folder]);
  const core = await child.next();
  const assertions = new Assertions(core);
  await publish(core, assertions);
  const cpu = async () => {
    child.send({});
    return (await child.next()).cpu;
  };
  return { kind, core, assertions, cpu };
}
