import { randomBytes } from "node:crypto";
import { createApp } from "@wakeshift/core";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";
import { ERAS, MODERN, TRANSPORTS, connect, whyNot } from "./sdk-support/wires.ts";
import type { Era, TransportName, Wire } from "./sdk-support/wires.ts";

let core: CoreWorld;
beforeAll(async () => {
  core = await startCoreWorld();
});
afterAll(() => core.close());

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 20));

/** An app of its own on the shared core, and an author's server for it, in this process. The stdio host does the same in its own. */
async function setup(kind: HostKind, name: string) {
  const { key } = await createApp({ store: core.core.store, now: Date.now, randomBytes }, name);
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ key: key.key, core: core.core.url, logger: (entry) => log.push(entry), timeoutMs: 30_000 });
  const crawlFinished = defineCrawlFinished(wake);
  const make = (): any => {
    const input = z.strictObject({ job: z.string() });
    const description = "Crawl a site";
    const run = async (args: any, context: any): Promise<any> => {
      await pause();
      const call = wake.currentCall();
      expect(wake.currentCall(context)).toBe(call);
      await call.subscribe(crawlFinished, { job: args.job }, { once: true });
      await pause();
      expect(wake.currentCall()).toBe(call);
      return { content: [{ type: "text", text: JSON.stringify(args) }] };
    };
    // A low-level server registers no tools.
    const isLowLevel = kind.endsWith(" Server");
    const server = makeHost(kind, isLowLevel ? [{ name: "start_crawl", description, input, run }] : []);
    const subscribes = [crawlFinished];
    const attached = wake.attach(server, isLowLevel ? { wrap: { start_crawl: subscribes } } : {});
    if (!isLowLevel) attached.registerTool("start_crawl", { description, inputSchema: input, subscribes }, run);
    return server;
  };
  return { make, log, crawlFinished, env: { WAKESHIFT_KEY: key.key, WAKESHIFT_CORE: core.core.url } };
}

const CLIENT = { clientInfo: { name: "codex-mcp-client", version: "0.171.0" }, capabilities: {} };
const META_2026 = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": CLIENT.clientInfo,
  "io.modelcontextprotocol/clientCapabilities": CLIENT.capabilities,
};

/** Begins as that era does: with the handshake, or with nothing, since every request tells all. */
async function begin(wire: Wire, era: Era): Promise<(method: string, params?: object) => Promise<any>> {
  if (era === MODERN) return (method, params = {}) => wire.request(method, { ...params, _meta: META_2026 });
  const { protocolVersion } = await wire.request("initialize", { protocolVersion: era, ...CLIENT });
  expect(protocolVersion).toBe(era);
  await wire.notify("notifications/initialized");
  return (method, params = {}) => wire.request(method, { ...params });
}

type Cell = readonly [kind: HostKind, transport: TransportName, era: Era];
const ALL: readonly Cell[] = HOST_KINDS.flatMap((kind) =>
  TRANSPORTS.flatMap((transport) => ERAS.map((era): Cell => [kind, transport, era])),
);
const CELLS = ALL.filter((cell) => whyNot(...cell) === undefined);
const OURS = { session_key: "none", harness: "codex", conversation_id: "c1" };

describe("subscribe, emit, woken", () => {
  test.each(CELLS)(
    "%s, %s, %s: lists, subscribes in parallel calls that never see each other's context, and each is woken (seed-11, seed-12, seed-13, seed-14, seed-23, seed-24, seed-25, seed-138)",
    async (kind, transport, era) => {
      const { make, log, crawlFinished, env } = await setup(kind, `${kind}, ${transport}, ${era}`);
      const wire = closedAfterTest(await connect(transport, { kind, era, make, env }));
      const ask = await begin(wire, era);
      const listed = await ask("tools/list");
      expect(listed.tools.map((tool: any) => tool.name)).toEqual(["start_crawl", "unsubscribe_events", "list_subscriptions"]);
      expect(Object.keys(listed.tools[0].inputSchema.properties)).toEqual(["job", ...Object.keys(OURS)]);
      // Only that protocol lets a client keep a list: ours depends on who asks.
      expect([listed.ttlMs, listed.cacheScope]).toEqual(era === MODERN ? [0, "private"] : [undefined, undefined]);

      const jobs = ["a", "b", "c", "d"];
      const results = await Promise.all(jobs.map((job) => ask("tools/call", { name: "start_crawl", arguments: { ...OURS, job } })));
      const entries = results.map((result) => result._meta[SUBSCRIPTION_META_KEY]);
      for (const [place, job] of jobs.entries()) {
        expect(results[place].content[0].text).toBe(JSON.stringify({ job }));
        expect(entries[place]).toMatchObject([{ event: "crawl.finished", arguments: { job }, once: true, tool: "start_crawl" }]);
      }
      for (const job of jobs) expect(await crawlFinished.emit({ job }, { status: job })).toMatchObject({ matched: 1 });
      for (const [place, job] of jobs.entries()) {
        const { ticket, id } = entries[place][0];
        const { wakes } = await core.next([ticket]);
        expect(wakes).toMatchObject([{ subscription: id, arguments: { job }, payload: { status: job } }]);
        if (wakes[0] !== undefined) await core.ack(ticket, wakes[0]);
        expect(await crawlFinished.emit({ job }, { status: "again" })).toMatchObject({ matched: 0 });
      }
      expect(log).toEqual([]);
    },
    60_000,
  );
});

describe("what doesn't exist", () => {
  test("is just what the table says, with the reason", () => {
    const missing = ALL.flatMap((cell) => {
      const why = whyNot(...cell);
      return why === undefined ? [] : [why];
    });
    const count = (why: string): number => missing.filter((each) => each === why).length;
    expect([ALL.length, CELLS.length]).toEqual([120, 76]);
    expect(Object.fromEntries([...new Set(missing)].map((why) => [why, count(why)]))).toEqual({
      "1.x has no serveStdio": 10,
      "1.x has no createMcpHandler": 10,
      "1.x knows no protocol after 2025-11-25": 8,
      "2.x has no server for the HTTP+SSE transport of 2024-11-05": 10,
      "2.x serves 2026-07-28 only through createMcpHandler and serveStdio: it has no handshake and no sessions": 6,
    });
  });

  test.each([
    ["1.x McpServer", "HTTP, stateless"],
    ["1.x Server", "HTTP with sessions"],
    ["2.x McpServer", "HTTP with sessions"],
    ["2.x Server", "HTTP, stateless"],
    ["2.x Server", "stdio"],
  ] as const)("%s, %s: doesn't agree to 2026-07-28 in a handshake, nor serve a call of it", async (kind, transport) => {
    const { make, env } = await setup(kind, `missing ${kind}, ${transport}`);
    const wire = closedAfterTest(await connect(transport, { kind, era: "2025-11-25", make, env }));
    const answer = await wire.request("initialize", { protocolVersion: MODERN, ...CLIENT });
    expect(answer.protocolVersion).not.toBe(MODERN);
    const modern = closedAfterTest(await connect(transport, { kind, era: MODERN, make, env }));
    const called = await modern.request("tools/call", { name: "start_crawl", arguments: { job: "a" }, _meta: META_2026 });
    expect(called?.resultType).toBeUndefined();
  });
});
