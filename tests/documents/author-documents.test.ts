import { randomBytes } from "node:crypto";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client, InMemoryTransport as InMemory2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, Server } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { startCoreWorld } from "../system/sdk-support/core-world.ts";
import type { CoreWorld } from "../system/sdk-support/core-world.ts";
import { serveRpc } from "../system/sdk-support/json-rpc.ts";
import type { RpcRequest } from "../system/sdk-support/json-rpc.ts";
import { serve, serveHandler } from "../system/sdk-support/links.ts";
import { compileBlocks } from "./compiled-blocks.ts";
import type { CompiledBlocks } from "./compiled-blocks.ts";
import { READERS_PARTS } from "./readers-part.ts";

const INFO = { name: "author-documents", version: "1.0.0" };
const LINES = ["2025-11-25", "2026-07-28"] as const;
let blocks: CompiledBlocks;
let world: CoreWorld;

beforeAll(() => {
  blocks = compileBlocks(process.env["WAKESHIFT_DOCUMENTS"] ?? "");
});

afterAll(() => blocks.remove());

/** The blocks make their `Wakeshift` without arguments: what it needs stands in the environment. */
beforeEach(async () => {
  world = await startCoreWorld();
  vi.stubEnv("WAKESHIFT_KEY", world.key);
  vi.stubEnv("WAKESHIFT_CORE", world.core.url);
  return () => {
    vi.unstubAllEnvs();
    return world.close();
  };
});

test("every block has its reader's part, and all compile under strict settings", () => {
  expect(blocks.unknown).toEqual([]);
  expect(blocks.complaints).toBe("");
  expect(Object.keys(READERS_PARTS)).toHaveLength(11);
});

test.each(LINES)("a low-level server of the 2.x SDK wakes the conversation that started the crawl, once, by %s", async (line) => {
  const { handler, crawlFinished, started } = await blocks.load("lowLevelServer");
  const client = await clientOf(await served(toNodeHandler(handler)), line);
  await expectAmended(client, "start_crawl");
  const result = await client.callTool({ name: "start_crawl", arguments: { url: "https://example.com" } });
  await expectWokenOnce(crawlFinished, started[0].job, result);
  expect(started).toMatchObject([{ url: "https://example.com" }]);
});

test("a low-level server of the 1.x SDK finds the call in its request's extra", async () => {
  const { lowServer, crawlFinished } = await blocks.load("olderServer");
  const client = new Client1(INFO);
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([lowServer.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(() => client.close());
  await expectAmended(client, "watch_crawl");
  const result = await client.callTool({ name: "watch_crawl", arguments: { job: "j1" } });
  await expectWoken(crawlFinished, "j1", result);
  await expectWoken(crawlFinished, "j1", result);
});

test.each(LINES)("a runtime of one's own subscribes, lists the built-ins, and answers them itself, by %s", async (line) => {
  const { answer, crawlFinished, started } = await blocks.load("ownRuntime");
  const client = await clientOf(await spoken(({ method, params, headers }) => answer(method, params, headers)), line);
  await expectAmended(client, "start_crawl");
  const result = await client.callTool({ name: "start_crawl", arguments: { url: "https://example.com" } });
  await expectWokenOnce(crawlFinished, started[0].job, result);
  const [session_key] = /wsk_\w+/.exec(JSON.stringify(result)) ?? [];
  const own = await client.callTool({ name: "list_subscriptions", arguments: { session_key } });
  expect(own.isError ?? false).toBe(false);
  expect(started).toHaveLength(1);
});

test.each(LINES)(
  "a proxy in front of a hosted server adds its own argument, and the upstream sees none of Wakeshift's, by %s",
  async (line) => {
    const { proxy, crawlFinished } = await blocks.load("proxy");
    const calls: any[] = [];
    const hosted = await clientOf(await hostedServer(calls), line);
    const upstream = (method: string, params: any): Promise<unknown> =>
      method === "tools/list" ? hosted.listTools(params) : hosted.callTool(params);
    const answers: any[] = [];
    const url = await spoken(async ({ method, params, headers }) => {
      const answer = await proxy(method, params, headers, upstream);
      answers.push(answer);
      return answer;
    });
    const client = await clientOf(url, line);
    await expectAmended(client, "start_crawl");
    expect(answers[0]).toMatchObject({ cacheScope: "private", ttlMs: 0 });
    const result = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "" } });
    expect(Object.keys(calls[0]).sort()).toEqual(["job", "url"]);
    expect(result._meta?.["v/z"]).toEqual({ kept: true });
    await expectWokenOnce(crawlFinished, calls[0].job, result);
  },
);

test.each(LINES)("a proxy that is a server of its own forwards the caller's credential to the hosted server, by %s", async (line) => {
  const { proxyHandler, crawlFinished, UPSTREAM } = await blocks.load("proxyServer");
  const credentials = new Set<string | null>();
  const calls: any[] = [];
  const hosted = await hostedServer(calls);
  redirectFetch(UPSTREAM, hosted, (headers) => credentials.add(headers.get("authorization")));
  const url = await served(toNodeHandler(proxyHandler));
  const client = await clientOf(url, line, { Authorization: "Bearer callers-own" });
  await expectAmended(client, "start_crawl");
  const result = await client.callTool({ name: "start_crawl", arguments: { url: "https://example.com" } });
  expect([...credentials]).toEqual(["Bearer callers-own"]);
  await expectWokenOnce(crawlFinished, calls[0].job, result);
});

test.each(LINES)("definitions for a framework subscribe, answer a plain string, and bring the built-ins along, by %s", async (line) => {
  const { startCrawlTool, xmcpTools, crawlFinished, started } = await blocks.load("definitions");
  const definitions = [startCrawlTool, ...xmcpTools.builtins()];
  const { url, close } = await serveHandler(() => serverOf(definitions));
  onTestFinished(close);
  const client = await clientOf(url, line);
  await expectAmended(client, "start_crawl");
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  expect(names).toEqual(expect.arrayContaining(["start_crawl", "unsubscribe_events", "list_subscriptions"]));
  const result: any = await client.callTool({ name: "start_crawl", arguments: { url: "https://example.com", harness: "codex" } });
  expect(result.content[0]).toEqual({ type: "text", text: `Crawl ${String(started[0].job)} started.` });
  expect(started).toMatchObject([{ url: "https://example.com" }]);
  const [session_key] = /wsk_\w+/.exec(JSON.stringify(result)) ?? [];
  const own = await client.callTool({ name: "list_subscriptions", arguments: { session_key } });
  expect(JSON.stringify(own)).toContain("crawl.finished");
  await expectWokenOnce(crawlFinished, started[0].job, result);
});

test("a generated catalog subscribes after the operation, and hears what was emitted in between", async () => {
  const { server, operations, crawlFinished } = await blocks.load("generated");
  operations.start_crawl = async () => {
    await crawlFinished.emit({ job: "g1" }, { status: "done" });
    return { content: [], structuredContent: { job: "g1" } };
  };
  const client = await inMemory(server);
  const result = await client.callTool({ name: "start_crawl", arguments: {} });
  expect(await occurrencesFor(result)).toMatchObject([{ arguments: { job: "g1" } }]);
  operations.start_crawl = async () => ({ content: [], isError: true });
  expect(ticketsOf(await client.callTool({ name: "start_crawl", arguments: {} }))).toEqual([]);
});

test("a job that is over before its id is known is still heard of through replay", async () => {
  const { handle, crawls, wake, crawlFinished } = await blocks.load("replay");
  crawls.start = async () => {
    await crawlFinished.emit({ job: "quick" }, { status: "done" });
    return "quick";
  };
  const server = new McpServer(INFO);
  const attached = wake.attach(server);
  attached.registerTool("start", { description: "Starts a crawl.", subscribes: [crawlFinished] }, async () => {
    await handle();
    return { content: [] };
  });
  const client = await inMemory(server);
  expect(await occurrencesFor(await client.callTool({ name: "start", arguments: {} }))).toMatchObject([{ arguments: { job: "quick" } }]);
});

test("a shared event opens subscribe_events to those its authorize lets in, and to nobody else", async () => {
  const { wake, ciFinished, seen } = await blocks.load("shared");
  seen.push({ user: "ada", repo: "o/r" });
  const as = (user: string): Promise<Client> => signedIn(wake, user);
  const asked = { name: "subscribe_events", arguments: { event: "ci.finished", arguments: { owner: "o", repo: "r" } } };
  const allowed = await (await as("ada")).callTool(asked);
  expect(allowed.isError ?? false).toBe(false);
  expect(ticketsOf(await (await as("eve")).callTool(asked))).toEqual([]);
  await ciFinished.emit({ owner: "o", repo: "r" }, { branch: "main", conclusion: "success" });
  expect(await occurrencesFor(allowed)).toMatchObject([{ arguments: { owner: "o", repo: "r" } }]);
});

test("a personal event reaches the user an emit names", async () => {
  const { wake } = await blocks.load("personal");
  const { emitTurn, wake: emitting, yourTurn } = await blocks.load("personalEmit");
  const asked = { name: "subscribe_events", arguments: { event: "game.turn", arguments: { table: "juniper" } } };
  const mine = await (await signedIn(wake, "player-abc123")).callTool(asked);
  const others = await (await signedIn(emitting, "player-other")).callTool(asked);
  expect([ticketsOf(mine).length, ticketsOf(others).length]).toEqual([1, 1]);
  await emitTurn();
  expect(await occurrencesFor(mine)).toMatchObject([{ payload: { toCall: 2 } }]);
  await yourTurn.emit({ table: "juniper" }, { toCall: 3 }, { to: "player-other" });
  expect(await occurrencesFor(others)).toMatchObject([{ payload: { toCall: 3 } }]);
});

async function served(handler: (request: never, response: never) => unknown): Promise<string> {
  const { url, close } = await serve((request, response) => handler(request as never, response as never));
  onTestFinished(close);
  return url;
}

/** What a framework does with definitions: it registers them on its own server. */
function serverOf(definitions: readonly any[]): McpServer {
  const server = new McpServer(INFO);
  for (const { schema, metadata, handler } of definitions) {
    const { name, description, annotations } = metadata;
    server.registerTool(name, { description, annotations, inputSchema: z.object(schema) }, (args, context) => handler(args, context));
  }
  return server;
}

/**
 * Serves what a block answers to JSON-RPC requests. The runtime says of a list what type it has and that nobody may keep it, as
 * 2026-07-28 wants it; of a call's result `tools.call` has said it.
 */
async function spoken(answer: (request: RpcRequest) => unknown): Promise<string> {
  const { url, close } = await serveRpc(async (request) => {
    const result = (await answer(request)) as object;
    return request.method === "tools/call" ? result : { resultType: "complete", cacheScope: "private", ttlMs: 0, ...result };
  });
  onTestFinished(close);
  return url;
}

async function clientOf(url: string, line: (typeof LINES)[number], headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client(INFO, line === "2025-11-25" ? {} : { versionNegotiation: { mode: { pin: line } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function inMemory(server: Server | McpServer): Promise<Client> {
  const client = new Client(INFO);
  const [serverSide, clientSide] = InMemory2.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(() => client.close());
  return client;
}

/** A client of a server that has signed `user` in. */
function signedIn(wake: any, user: string): Promise<Client> {
  const server = new McpServer(INFO);
  const authInfo = { token: randomBytes(8).toString("hex"), clientId: "c", scopes: [], extra: { user } };
  wake.attach(server, { identify: () => ({ user }), requireUser: true });
  const client = new Client(INFO);
  const [serverSide, clientSide] = InMemory2.createLinkedPair();
  const send = clientSide.send.bind(clientSide);
  clientSide.send = (message, options) => send(message, { ...options, authInfo });
  onTestFinished(() => client.close());
  return Promise.all([server.connect(serverSide), client.connect(clientSide)]).then(() => client);
}

/** The hosted server of the document: sessionless, with a strict tool of its own. */
async function hostedServer(calls: unknown[]): Promise<string> {
  const { url, close } = await serveHandler(() => {
    const server = new Server(INFO, { capabilities: { tools: {} } });
    const inputSchema = {
      type: "object" as const,
      properties: { url: { type: "string" }, job: { type: "string" } },
      additionalProperties: false,
    };
    server.setRequestHandler("tools/list", () => ({ tools: [{ name: "start_crawl", description: "Crawl.", inputSchema }] }));
    server.setRequestHandler("tools/call", (request) => {
      calls.push(request.params.arguments);
      return { content: [{ type: "text", text: "started" }], _meta: { "v/z": { kept: true } } };
    });
    return server;
  });
  onTestFinished(close);
  return url;
}

/** The document's upstream has a name nobody answers to here. */
function redirectFetch(from: string, to: string, look: (headers: Headers) => void): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    if (input !== from) return real(input, init);
    look(new Headers(init?.headers));
    return real(to, init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
}

async function expectAmended(client: any, name: string): Promise<void> {
  const { tools } = await client.listTools();
  const tool = tools.find((each: { name: string }) => each.name === name);
  expect(Object.keys(tool.inputSchema.properties)).toEqual(expect.arrayContaining(["session_key", "harness", "conversation_id"]));
  expect(tool.description).toContain("crawl.finished");
}

function ticketsOf(result: any): string[] {
  return (result._meta?.["ai.wakeshift/subscription"] ?? []).map((entry: { ticket: string }) => entry.ticket);
}

/** What waits for the subscriptions of a result; handed, so that it isn't offered again. */
async function occurrencesFor(result: any): Promise<readonly unknown[]> {
  const tickets = ticketsOf(result);
  expect(tickets).toHaveLength(1);
  const { wakes } = await world.next(tickets);
  for (const wake of wakes) await world.ack(tickets[0] ?? "", wake);
  return wakes;
}

async function expectWoken(event: any, job: string, result: any): Promise<void> {
  const { matched } = await event.emit({ job }, { status: "done" });
  expect(matched).toBe(1);
  expect(await occurrencesFor(result)).toMatchObject([{ event: "crawl.finished", arguments: { job }, payload: { status: "done" } }]);
}

async function expectWokenOnce(event: any, job: string, result: any): Promise<void> {
  await expectWoken(event, job, result);
  expect((await event.emit({ job }, { status: "again" })).matched).toBe(0);
}
