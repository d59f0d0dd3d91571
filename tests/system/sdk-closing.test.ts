import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { formatAppKey } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { LINKS } from "./sdk-support/links.ts";
import type { LinkName } from "./sdk-support/links.ts";
import { startPeerCore } from "./sdk-support/peer-core.ts";
import type { PeerCore } from "./sdk-support/peer-core.ts";
import { failOnUnhandledRejections } from "./sdk-support/unhandled-rejections.ts";

failOnUnhandledRejections();

const LONG = { timeout: 30_000 };

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const ENDS = ["the server is closed", "the client is closed", "the connection is cut", "the client cancels"] as const;
type End = (typeof ENDS)[number];
const MOMENTS = ["while the core is asked", "while the handler goes on"] as const;

/**
 * By which ends the MCP SDKs abort a call's signal. A request that came alone by HTTP outlives its connection, as the protocol has
 * it, and a cancel without a session comes to another server.
 */
const ABORTS: Readonly<Record<LinkName, readonly End[]>> = {
  "in-memory, 2.x client": ENDS,
  "in-memory, 1.x client": ENDS,
  "HTTP with sessions": ["the server is closed", "the client cancels"],
  "HTTP, stateless": ["the server is closed"],
  "createMcpHandler, 2025-11-25": ["the server is closed", "the client is closed", "the connection is cut"],
  "createMcpHandler, 2026-07-28": ENDS,
};

const SERVED: readonly (readonly [HostKind, LinkName])[] = [
  ["2.x McpServer", "in-memory, 2.x client"],
  ["2.x McpServer", "HTTP with sessions"],
  ["2.x McpServer", "HTTP, stateless"],
  ["2.x McpServer", "createMcpHandler, 2025-11-25"],
  ["2.x McpServer", "createMcpHandler, 2026-07-28"],
  ["1.x McpServer", "in-memory, 1.x client"],
  ["1.x McpServer", "HTTP with sessions"],
  ["1.x McpServer", "HTTP, stateless"],
];

/** The core holds back its answers to subscribes until told. */
function holdSubscribes(peer: PeerCore) {
  const asked = gate();
  const answer = gate();
  peer.intercept = async ({ path }) => {
    if (path !== "/event-subscriptions") return false;
    asked.open();
    await answer.opened;
    return false;
  };
  return { asked, answer };
}

const callIds = (peer: PeerCore, path: string): string[] =>
  peer.to(path).map((request) => request.body["call_id"] ?? request.body["call"].call_id);

/** One call of a tool that subscribes and goes on until told, on a server and a link of its own. */
async function setup(kind: HostKind, linkName: LinkName) {
  const world = await openWakeWorld();
  const servers: any[] = [];
  const subscribed = gate();
  const go = gate();
  const notices: unknown[] = [];
  const seen: { signal?: AbortSignal; subscribe?: any; late?: any } = {};
  const subscribe = (job: string): Promise<unknown> =>
    world.wake
      .currentCall()
      .subscribe(world.crawlFinished, { job })
      .catch((error: unknown) => error);
  const make = (): any => {
    const server = makeHost(kind, [
      {
        name: "start_crawl",
        input: z.object({ job: z.string() }),
        run: async ({ job }, context) => {
          seen.signal = context.mcpReq?.signal ?? context.signal;
          seen.subscribe = await subscribe(job);
          subscribed.open();
          await go.opened;
          seen.late = await subscribe("late");
          return { content: [] };
        },
      },
    ]);
    world.wake.attach(server, {
      wrap: { start_crawl: [world.crawlFinished] },
      onSubscribe: (notice) => void notices.push(notice.args),
    });
    servers.push(server);
    return server;
  };
  const link = closedAfterTest(await LINKS[linkName](kind, make));
  const abort = new AbortController();
  // Ids begin at 0, and 1.x takes no cancel for that one: spend it.
  await link.client.listTools();
  const options = { signal: abort.signal, timeout: 60_000 };
  const call = (): Promise<unknown> =>
    link.client
      .callTool({ name: "start_crawl", arguments: { job: "1" } }, ...(kind.startsWith("1.x") ? [undefined, options] : [options]))
      .catch(() => undefined);
  const ends: Readonly<Record<End, () => unknown>> = {
    "the server is closed": () => Promise.all(servers.map((server) => server.close())),
    "the client is closed": () => link.client.close(),
    "the connection is cut": () => link.close(),
    "the client cancels": () => abort.abort("enough"),
  };
  return { world, subscribed, go, seen, notices, call, ends };
}

describe.each(SERVED)("%s, %s", (kind, link) => {
  test.each(MOMENTS.flatMap((moment) => ENDS.map((end) => [end, moment] as const)))(
    "%s %s: the call ends what it subscribed, or keeps it as any other does, and nothing hangs or goes unhandled (seed-149)",
    async (end, moment) => {
      const { world, subscribed, go, seen, notices, call, ends } = await setup(kind, link);
      const { asked, answer } = holdSubscribes(world.peer);
      if (moment === "while the handler goes on") answer.open();
      void call();
      await (moment === "while the core is asked" ? asked : subscribed).opened;
      await ends[end]();
      const aborts = ABORTS[link].includes(end);
      if (aborts) {
        await vi.waitFor(() => expect(seen.signal?.aborted).toBe(true), LONG);
        // Before the handler is through: nobody waits for that.
        await vi.waitFor(() => expect(callIds(world.peer, "/event-subscriptions/rollback")).toHaveLength(1), LONG);
      }
      answer.open();
      go.open();
      await vi.waitFor(() => expect(seen.late).toBeDefined(), LONG);
      if (aborts) {
        expect(seen.subscribe).toMatchObject(moment === "while the core is asked" ? { code: "no_call" } : { state: "subscribed" });
        expect(seen.late).toMatchObject({ code: "no_call" });
        expect(callIds(world.peer, "/event-subscriptions/rollback")).toEqual(callIds(world.peer, "/event-subscriptions"));
      } else {
        await vi.waitFor(() => expect(notices).toEqual([{ job: "1" }, { job: "late" }]), LONG);
        expect([seen.subscribe, seen.late]).toMatchObject([{ state: "subscribed" }, { state: "subscribed" }]);
        expect(callIds(world.peer, "/event-subscriptions/rollback")).toEqual([]);
      }
      expect(notices).toHaveLength(aborts ? 0 : 2);
      expect(world.log).toEqual([]);
    },
  );
});

const STDIO_HOST = fileURLToPath(new URL("./sdk-support/stdio-host.mjs", import.meta.url));

test.each([
  ["1.x", "McpServer", "connect"],
  ["1.x", "Server", "connect"],
  ["2.x", "McpServer", "connect"],
  ["2.x", "Server", "connect"],
  ["2.x", "McpServer", "serveStdio"],
])("a stdio server on %s %s by %s whose client goes in the middle of a call ends by itself and in peace", async (line, host, serving) => {
  const peer = closedAfterTest(await startPeerCore());
  const { asked, answer } = holdSubscribes(peer);
  const child = spawn(process.execPath, [STDIO_HOST, line, host, serving], {
    env: { PATH: process.env["PATH"] ?? "", WAKESHIFT_KEY: formatAppKey(randomBytes(32)), WAKESHIFT_CORE: peer.url },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve([code, signal])));
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const lines: any[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => lines.push(JSON.parse(text)));
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "c", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  await vi.waitFor(() => expect(lines).toHaveLength(1), LONG);
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "start_crawl", arguments: { job: "1" } } });
  await asked.opened;
  child.stdin.end();
  // 1.x takes no notice of its input's end, and answers what it was asked.
  const ends = line === "2.x" ? callIds(peer, "/event-subscriptions") : [];
  if (line === "2.x") await vi.waitFor(() => expect(callIds(peer, "/event-subscriptions/rollback")).toEqual(ends), LONG);
  answer.open();
  expect(await ended).toEqual([0, null]);
  expect(stderr).toBe("");
  expect(callIds(peer, "/event-subscriptions/rollback")).toEqual(ends);
  expect(lines).toHaveLength(line === "2.x" ? 1 : 2);
});
