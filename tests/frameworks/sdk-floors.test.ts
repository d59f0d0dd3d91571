import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serve } from "../system/sdk-support/links.ts";
import { defineCrawlFinished } from "../system/sdk-support/wake-world.ts";
import { FRAMEWORKS, frameworkModules } from "./support/frameworks.ts";

const INFO = { name: "crawler", version: "1.0.0" };
const OURS = ["session_key", "harness", "conversation_id"];
const load = (set: "mcp-sdk-1" | "mcp-sdk-2", path: string): Promise<any> =>
  import(pathToFileURL(join(frameworkModules(set), "@modelcontextprotocol", path)).href);

// The oldest 1.x: zod 3 is the one it was made for.
const v1 = async (path: string): Promise<any> => load("mcp-sdk-1", join("sdk", "dist", "esm", path));
const { z: z3 } = await import(pathToFileURL(join(frameworkModules("mcp-sdk-1"), "zod", "index.js")).href);
const [{ McpServer: McpServer1 }, { Server: Server1 }, { Client: Client1 }, { InMemoryTransport: InMemory1 }, http1, clientHttp1, types1] =
  await Promise.all(
    [
      ...["server/mcp.js", "server/index.js", "client/index.js", "inMemory.js"],
      ...["server/streamableHttp.js", "client/streamableHttp.js", "types.js"],
    ].map(v1),
  );
const server2 = await load("mcp-sdk-2", join("server", "dist", "index.mjs"));
const client2 = await load("mcp-sdk-2", join("client", "dist", "index.mjs"));
const { toNodeHandler } = await load("mcp-sdk-2", join("node", "dist", "index.mjs"));

function startWorld() {
  const core = testingCore();
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ ...core.options, logger: (entry) => log.push(entry) });
  return { core, log, wake, crawlFinished: defineCrawlFinished(wake) };
}
type World = ReturnType<typeof startWorld>;

const LISTED = [
  { name: "start_crawl", description: "Crawl a site.", inputSchema: { type: "object", properties: { url: { type: "string" } } } },
];

async function answer({ wake, crawlFinished }: World, { url }: any, context: unknown): Promise<any> {
  await wake.currentCall(context as never).subscribe(crawlFinished, { job: url }, { once: true });
  return { content: [{ type: "text", text: `crawling ${String(url)}` }] };
}

/** The ways an author's tool comes to be on a server of each floor. */
const HOSTS = {
  "1.20.0, attached.registerTool": (world) => {
    const server = new McpServer1(INFO);
    const subscribes = [world.crawlFinished];
    const options = { description: "Crawl a site.", inputSchema: { url: z3.string() }, subscribes };
    world.wake.attach(server).registerTool("start_crawl", options, async ({ url }: any, _context: unknown, call: any) => {
      await call.subscribe(world.crawlFinished, { job: url }, { once: true });
      return { content: [{ type: "text", text: `crawling ${String(url)}` }] };
    });
    return server;
  },
  "1.20.0, server.tool": (world) => {
    const server = new McpServer1(INFO);
    server.tool("start_crawl", "Crawl a site.", { url: z3.string() }, (args: any, extra: any) => answer(world, args, extra));
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  },
  "1.20.0, low-level": (world) => {
    const server = new Server1(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler(types1.ListToolsRequestSchema, () => ({ tools: LISTED }));
    server.setRequestHandler(types1.CallToolRequestSchema, ({ params }: any, extra: any) => answer(world, params.arguments, extra));
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  },
  "2.0.0, attached.registerTool": (world) => {
    const server = new server2.McpServer(INFO);
    const subscribes = [world.crawlFinished];
    const options = { description: "Crawl a site.", inputSchema: z.object({ url: z.string() }), subscribes };
    world.wake.attach(server).registerTool("start_crawl", options, async ({ url }: any, _context: unknown, call: any) => {
      await call.subscribe(world.crawlFinished, { job: url }, { once: true });
      return { content: [{ type: "text", text: `crawling ${String(url)}` }] };
    });
    return server;
  },
  "2.0.0, low-level": (world) => {
    const server = new server2.Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: LISTED }));
    server.setRequestHandler("tools/call", ({ params }: any, context: any) => answer(world, params.arguments, context));
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  },
} as const satisfies Record<string, (world: World) => any>;

/** The ways to reach it. */
const LINKS = {
  "1.x in memory": (make) => inMemory(make(), new Client1(INFO), InMemory1),
  "1.x over HTTP": async (make) => {
    const served = await serve(async (request, response) => {
      const transport = new http1.StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await make().connect(transport);
      await transport.handleRequest(request, response);
    });
    return connected(new Client1(INFO), new clientHttp1.StreamableHTTPClientTransport(new URL(served.url)), served);
  },
  "2.x in memory": (make) => inMemory(make(), new client2.Client(INFO), client2.InMemoryTransport),
  "2.x by 2025-11-25": (make) => byHandler(make, {}),
  "2.x by 2026-07-28": (make) => byHandler(make, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
} as const satisfies Record<string, (make: () => any) => Promise<any>>;

async function inMemory(server: any, client: any, Transport: any): Promise<any> {
  const [serverSide, clientSide] = Transport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(() => client.close());
  return client;
}

async function byHandler(make: () => any, options: object): Promise<any> {
  const handler = toNodeHandler(server2.createMcpHandler(make));
  const served = await serve((request, response) => handler(request, response));
  return connected(new client2.Client(INFO, options), new client2.StreamableHTTPClientTransport(new URL(served.url)), served);
}

async function connected(client: any, transport: any, served: { close(): Promise<void> }): Promise<any> {
  onTestFinished(() => served.close());
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const CASES = Object.keys(HOSTS).flatMap((host) =>
  Object.keys(LINKS)
    .filter((link) => link[0] === host[0])
    .map((link) => ({ host: host as keyof typeof HOSTS, link: link as keyof typeof LINKS })),
);

test("the versions tested here are the lowest that the package takes", () => {
  const { peerDependencies } = JSON.parse(readFileSync(new URL("../../packages/sdk/package.json", import.meta.url), "utf8"));
  expect(peerDependencies).toEqual({
    "@modelcontextprotocol/sdk": `>=${FRAMEWORKS["mcp-sdk-1"]} <2`,
    "@modelcontextprotocol/server": `^${FRAMEWORKS["mcp-sdk-2"]}`,
  });
});

describe.each(CASES)("the oldest MCP SDK taken: $host, $link", ({ host, link }) => {
  test("is attached to, lists amended tools, passes a call on without our arguments, and wakes its conversation", async () => {
    const world = startWorld();
    const client = await LINKS[link](() => HOSTS[host](world));
    const { tools } = await client.listTools();
    expect(tools.map((tool: any) => tool.name)).toEqual(["start_crawl", "unsubscribe_events", "list_subscriptions"]);
    expect(Object.keys(tools[0].inputSchema.properties)).toEqual(["url", ...OURS]);
    expect(tools[0].description).toContain("crawl.finished");
    const result = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "none", harness: "codex" } });
    expect(result.isError ?? false).toBe(false);
    expect(result.content[0].text).toBe("crawling u");
    const [entry] = result._meta[SUBSCRIPTION_META_KEY];
    expect(entry).toMatchObject({ event: "crawl.finished", arguments: { job: "u" }, once: true });
    const session_key = /wsk_\w{32}/.exec(result.content[1].text)?.[0];
    const own = await client.callTool({ name: "list_subscriptions", arguments: { session_key } });
    expect(own.content[0].text).toContain(entry.id);
    expect(await world.crawlFinished.emit({ job: "u" }, { status: "done" })).toMatchObject({ matched: 1 });
    expect(world.core.wakes()).toMatchObject([{ payload: { status: "done" }, subscription: { id: entry.id, once: true } }]);
    expect(world.log).toEqual([]);
  });
});
