// A reader holds the database for a minute during 100,000 emits (PC-37): the log must shrink again without a restart.
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Assertions, call, emitBody, publish } from "./app-client.mjs";
import { startChild } from "./child.mjs";

const RUN = 5_000;
const RUN_LIMIT_MS = 300_000;
/** So long for 100,000 emits. */
const HOLD_MS = 60_000;
const BOUND_BYTES = 64 * 1024 * 1024;
const SHRINK_MS = 60_000;

/** @param {{ folder: string, emits: number, say: (line: string) => void }} options */
export async function soak({ folder, emits, say }) {
  const path = join(folder, "wakeshift.db");
  const logBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const server = startChild("core", ["durable", folder]);
  const core = await server.next();
  const assertions = new Assertions(core);
  await publish(core, assertions);
  const load = startChild("load");
  const run = async () => {
    load.send({ core, count: RUN });
    const result = await load.next(undefined, RUN_LIMIT_MS);
    if (result.failed > 0) throw new Error(`${result.failed} emits failed`);
    return result;
  };

  await run();
  const baseline = await run();
  say(`baseline: ${Math.round(baseline.perSecond)} emits/s, p99 ${baseline.p99} ms`);
  const reader = startChild("reader", [path]);
  await reader.next();
  const held = performance.now();
  let worst = 0;
  for (let emitted = 0; emitted < emits; emitted += RUN) {
    const { p99, perSecond } = await run();
    worst = Math.max(worst, p99);
    say(`held: ${emitted + RUN} emits, ${Math.round(perSecond)}/s, p99 ${p99} ms, log ${megabytes(logBytes())} MB`);
  }
  await pause(Math.max(0, (HOLD_MS * emits) / 100_000 - (performance.now() - held)));
  const peak = logBytes();
  reader.send({});
  await reader.next((message) => message.released);

  const released = performance.now();
  let slowest = 0;
  do {
    const started = performance.now();
    await call({ url: `${core.url}/api/apps/v1/events/emit`, authorization: assertions.next(), body: emitBody(0) });
    slowest = Math.max(slowest, performance.now() - started);
    await pause(100);
  } while (logBytes() > BOUND_BYTES && performance.now() - released < SHRINK_MS);
  const shrunkMs = performance.now() - released;
  const restartMs = await restart(server, folder);
  return result({ baseline, worst, peak, left: logBytes(), shrunkMs, slowest, restartMs });
}

/** How long a start takes after the core was killed with -9. */
async function restart(server, folder) {
  server.kill("SIGKILL");
  await server.gone();
  const started = performance.now();
  await startChild("core", ["durable", folder]).next();
  return performance.now() - started;
}

function result({ baseline, worst, peak, left, shrunkMs, slowest, restartMs }) {
  const ratio = worst / Math.max(1, baseline.p99);
  const lines = [
    ["emit p99 while held / before", ratio.toFixed(1), "≤ 10", ratio <= 10],
    ["log at the end of the hold, MB", megabytes(peak), "", true],
    ["log after that, MB", megabytes(left), "≤ 64", left <= BOUND_BYTES],
    ["  reached after s", (shrunkMs / 1000).toFixed(1), "≤ 60", shrunkMs <= SHRINK_MS],
    ["slowest emit after the release, ms", slowest.toFixed(0), "", true],
    ["start after kill -9, ms", restartMs.toFixed(0), "≤ 5000", restartMs <= 5_000],
  ];
  const text = lines
    .map(([name, value, goal, met]) => `${String(name).padEnd(36)} ${String(value).padStart(8)}  ${goal} ${met ? "" : "NOT MET"}`.trimEnd())
    .join("\n");
  return { data: { ratio, peakBytes: peak, leftBytes: left, shrunkMs, slowestAfterMs: slowest, restartMs }, text };
}

function megabytes(bytes) {
  return (bytes / 1024 / 1024).toFixed(1);
}
