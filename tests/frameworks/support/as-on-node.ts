import { randomBytes } from "node:crypto";
import { formatAppKey } from "@wakeshift/protocol";
import { expect } from "vitest";
import { closedAfterTest } from "../../system/sdk-support/closed-after-test.ts";
import { startCoreWorld } from "../../system/sdk-support/core-world.ts";
import { startPeerCore } from "../../system/sdk-support/peer-core.ts";
import { callCold } from "./crawler-app.ts";
import type { StartedServer } from "./crawler-app.ts";

/** Starts the crawler anew, with these variables in its environment. */
export type StartCrawler = (env: Readonly<Record<string, string>>) => Promise<StartedServer>;

const JOBS = Array.from({ length: 12 }, (_each, place) => `job-${String(place)}`);

/** Twelve cold calls at once subscribe on a real core, and what the server then emits wakes the one it is for. */
export async function expectColdCallsToSubscribe(start: StartCrawler): Promise<void> {
  const real = closedAfterTest(await startCoreWorld());
  const server = await start({ WAKESHIFT_KEY: real.key, WAKESHIFT_CORE: real.core.url });
  const entries = await Promise.all(JOBS.map((job) => callCold(server.url, job)));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(JOBS.length);
  const [, , , fourth] = entries;
  expect(fourth).toMatchObject({ event: "crawl.finished", arguments: { job: "job-3" }, tool: "start_crawl" });
  const emitted = await fetch(new URL("/emit?job=job-3", server.url));
  expect(await emitted.json()).toMatchObject({ matched: 1 });
  expect((await real.next([fourth.ticket])).wakes).toMatchObject([{ arguments: { job: "job-3" }, payload: { status: "done" } }]);
  expect(server.output()).not.toContain("[wakeshift]");
}

/** Twelve calls get through that wait for the publishing of the definitions, while the client of the call that began it has left. */
export async function expectCallsToOutliveTheFirstClient(start: StartCrawler): Promise<void> {
  const peer = closedAfterTest(await startPeerCore());
  let publish = (): void => undefined;
  const published = new Promise<void>((resolve) => (publish = resolve));
  const asked = new Promise<void>((resolve) => {
    peer.intercept = async ({ path }) => {
      if (path !== "/manifest") return;
      resolve();
      await published;
    };
  });
  const server = await start({ WAKESHIFT_KEY: formatAppKey(randomBytes(32)), WAKESHIFT_CORE: peer.url });
  const leaving = new AbortController();
  const first = callCold(server.url, "first", leaving.signal);
  await asked;
  leaving.abort();
  await expect(first).rejects.toThrow("abort");
  const calls = Promise.all(JOBS.map((job) => callCold(server.url, job)));
  await expect.poll(() => JOBS.filter((job) => server.output().includes(`called ${job}\n`)), { timeout: 10_000 }).toEqual(JOBS);
  publish();
  await calls;
}

/** Twelve calls get through after a request that was answered while what it began, the publishing of the definitions, went on. */
export async function expectCallsToOutliveTheFirstRequest(start: StartCrawler): Promise<void> {
  const peer = closedAfterTest(await startPeerCore());
  const server = await start({ WAKESHIFT_KEY: formatAppKey(randomBytes(32)), WAKESHIFT_CORE: peer.url });
  expect(await (await fetch(new URL("/leave?job=first", server.url))).text()).toBe("");
  await Promise.all(JOBS.map((job) => callCold(server.url, job)));
  expect(peer.to("/event-subscriptions").map(({ body }) => body["arguments"].job)).toEqual(expect.arrayContaining(JOBS));
}

/** A tool that throws after it has subscribed is answered with its own error, while the core takes no rollback. */
export async function expectOwnErrorWithoutRollback(start: StartCrawler): Promise<void> {
  const peer = closedAfterTest(await startPeerCore());
  peer.intercept = ({ path }, response) => {
    if (path !== "/event-subscriptions/rollback") return;
    response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"storage_full","message":"Full."}}');
    return true;
  };
  const server = await start({ WAKESHIFT_KEY: formatAppKey(randomBytes(32)), WAKESHIFT_CORE: peer.url });
  await expect(callCold(server.url, "broken")).rejects.toThrow("The crawler is broken.");
  expect(peer.to("/event-subscriptions/rollback").length).toBeGreaterThan(0);
}
