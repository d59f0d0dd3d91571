import { randomBytes } from "node:crypto";
import { formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { crawlFinishedOptions, defineCrawlFinished } from "./sdk-support/wake-world.ts";

async function peerWorld() {
  const world = await openWakeWorld();
  return { ...world, emit: () => world.crawlFinished.emit({ job: "1" }, { status: "x" }) };
}

test("publishes once before the first of many parallel calls, and again only after a new definition", async () => {
  const { peer, wake, emit } = await peerWorld();
  expect(peer.requests).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, emit));
  expect(peer.requests[0]?.path).toBe("/manifest");
  expect(peer.to("/manifest")).toHaveLength(1);
  wake.defineEvent("crawl.failed", crawlFinishedOptions);
  await emit();
  await emit();
  expect(peer.to("/manifest").map((request) => request.body["events"].map((event: any) => event.name))).toEqual([
    ["crawl.finished"],
    ["crawl.finished", "crawl.failed"],
  ]);
});

test("logs each event that its publishing closed, with how many subscriptions ended and how to reopen it", async () => {
  const { peer, emit, log } = await peerWorld();
  peer.intercept = (request, response) => {
    if (request.path !== "/manifest") return false;
    response.writeHead(200).end(JSON.stringify({ events: 1, changed: true, closed: [{ name: "crawl.finished", ended: 0 }] }));
    return true;
  };
  await emit();
  expect(log).toEqual([
    expect.objectContaining({
      level: "warn",
      code: "event_closed",
      event: "crawl.finished",
      ended: 0,
      message: expect.stringMatching(/0 subscriptions.*authorize, personal: true or public: true/),
    }),
  ]);
});

test("logs each event that no emit of which matches some of its subscriptions, with how many, why, and what to do", async () => {
  const { peer, emit, log } = await peerWorld();
  const stranded = [
    { name: "crawl.finished", live: 1 },
    { name: "crawl.failed", live: 20 },
  ];
  peer.intercept = (request, response) => {
    if (request.path !== "/manifest") return false;
    response.writeHead(200).end(JSON.stringify({ events: 2, changed: true, closed: [], stranded }));
    return true;
  };
  await emit();
  expect(log).toEqual(
    stranded.map(({ name, live }) => ({
      level: "warn",
      code: "subscriptions_stranded",
      event: name,
      subscriptions: live,
      message: expect.stringMatching(
        new RegExp(
          `No emit matches ${String(live)} subscriptions? of ${name}.*required other arguments.*publish the event as it was.*wake\\.end\\(\\{ event: "${name}" \\}\\)`,
        ),
      ),
    })),
  );
});

test("a refused manifest is logged once, and doesn't stop what works without it", async () => {
  const { peer, emit, log } = await peerWorld();
  peer.intercept = (request, response) => {
    if (request.path !== "/manifest") return false;
    response.writeHead(400).end(JSON.stringify({ error: { code: "bad_event", message: "There are 201 events." } }));
    return true;
  };
  expect(await emit()).toMatchObject({ id: "evt_1" });
  expect(await emit()).toMatchObject({ id: "evt_1" });
  expect(log).toEqual([
    expect.objectContaining({ level: "error", code: "manifest_failed", message: expect.stringContaining("201 events") }),
  ]);
  expect(peer.to("/manifest")).toHaveLength(1);
});

test("a core that has lost the definitions gets them once more, and the calls go through", async () => {
  const { peer, emit, log } = await peerWorld();
  await emit();
  let lost = true;
  peer.intercept = (request, response) => {
    if (request.path === "/manifest") lost = false;
    if (!lost) return false;
    response.writeHead(404).end(JSON.stringify({ error: { code: "unknown_event", message: "No such event." } }));
    return true;
  };
  expect(await Promise.all([emit(), emit(), emit()])).toHaveLength(3);
  expect(peer.to("/manifest")).toHaveLength(2);
  lost = true;
  peer.intercept = (request, response) => {
    if (request.path === "/manifest") return false;
    response.writeHead(404).end(JSON.stringify({ error: { code: "unknown_event", message: "No such event." } }));
    return true;
  };
  await expect(emit()).rejects.toMatchObject({ code: "unknown_event" });
  expect(log).toMatchObject([{ code: "request_failed", error: "unknown_event" }]);
});

test("a key that the core doesn't know, or has revoked, is unauthorized in every call, and shown in none", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const log: LogEntry[] = [];
  const key = formatAppKey(randomBytes(32));
  const foreign = defineCrawlFinished(new Wakeshift({ key, core: world.core.url, logger: (entry) => log.push(entry) }));
  const refused = await foreign.emit({ job: "1" }, { status: "x" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unauthorized" });
  expect(JSON.stringify([log, String(refused)])).not.toContain(key.slice(4));
  await world.crawlFinished.emit({ job: "1" }, { status: "x" });
  const [app] = await world.core.store.listApps();
  for (const each of await world.core.store.listKeys(app?.id ?? "")) await world.core.store.revokeKey(each.keyId, Date.now());
  // In force within a second.
  await vi.waitFor(() => expect(world.crawlFinished.emit({ job: "1" }, { status: "x" })).rejects.toMatchObject({ code: "unauthorized" }), {
    timeout: 45_000,
    interval: 100,
  });
});

test("several instances of one app publish at once, and each can use its own events", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const payload = z.object({});
  const emits = Array.from({ length: 5 }, (_each, index) => {
    const wake = new Wakeshift({ key: world.key, core: world.core.url, logger: (entry) => world.log.push(entry), timeoutMs: 15_000 });
    const shared = defineCrawlFinished(wake);
    const own = wake.defineEvent(`own.event${String(index)}`, { description: "One's own", args: z.object({ n: z.number() }), payload });
    return [shared.emit({ job: "1" }, { status: "x" }), own.emit({ n: index }, {})];
  });
  expect(await Promise.all(emits.flat())).toHaveLength(10);
  expect(world.log).toEqual([]);
});
