import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpServer, Server as Server2, fromJsonSchema } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { INFO } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { inMemory, serve, serveHandler } from "./sdk-support/links.ts";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";

async function modernClient(url: string): Promise<Client> {
  const client = new Client({ name: "test-client", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

/** A tool one of whose arguments the protocol wants in a header too. */
const REGION = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" }, job: { type: "string" } },
  required: ["region", "job"],
  additionalProperties: false,
} as const;

describe("2026-07-28: arguments that also stand in headers", () => {
  async function setup(attach: boolean) {
    const made = await openWakeWorld();
    const seen: unknown[] = [];
    const headers: (string | undefined)[] = [];
    const handler = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer(INFO);
        server.registerTool("start_crawl", { description: "Crawl a site", inputSchema: fromJsonSchema<any>(REGION) }, async (args: any) => {
          seen.push(args);
          if (attach) await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
          return { content: [{ type: "text", text: "started" }] };
        });
        if (attach) made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
        return server;
      }),
    );
    const served = await serve((request, response) => {
      headers.push(request.headers["mcp-param-region"]?.toString());
      return handler(request as never, response);
    });
    onTestFinished(() => served.close());
    return { made, seen, headers, url: served.url };
  }

  const raw = async (url: string, args: object, headers: Readonly<Record<string, string>>): Promise<{ status: number; body: any }> => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "start_crawl",
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "start_crawl",
          arguments: args,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const text = await answer.text();
    const json = text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "data: {}").slice(6);
    return { status: answer.status, body: JSON.parse(json) };
  };
  const ARGS = { region: "eu", job: "1" };
  const OURS = { session_key: "none", harness: "codex", conversation_id: "c" };

  test("the official client sends them by the listed schema, beside ours, and the call passes the host's check", async () => {
    const { seen, headers, url } = await setup(true);
    const client = await modernClient(url);
    const { tools } = await client.listTools();
    const properties: any = tools[0]?.inputSchema.properties;
    expect(properties.region).toEqual(REGION.properties.region);
    for (const name of Object.keys(OURS)) expect(properties[name]).not.toHaveProperty("x-mcp-header");
    const result: any = await client.callTool({ name: "start_crawl", arguments: { ...ARGS, ...OURS } });
    expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: "1" } }]);
    expect(seen).toEqual([ARGS]);
    expect(headers.at(-1)).toBe("eu");
  });

  test("what the host refuses without Wakeshift it refuses with it, by the same answer", async () => {
    const bare = await setup(false);
    const attached = await setup(true);
    for (const headers of [{}, { "mcp-param-region": "us" }]) {
      const without = await raw(bare.url, ARGS, headers);
      expect(without.body.error.code).toBe(-32020);
      expect(await raw(attached.url, ARGS, headers)).toEqual(without);
      expect(await raw(attached.url, { ...ARGS, ...OURS }, headers)).toEqual(without);
    }
    expect([bare.seen, attached.seen]).toEqual([[], []]);
    expect(attached.made.peer.requests).toEqual([]);
    expect((await raw(attached.url, { ...ARGS, ...OURS }, { "mcp-param-region": "eu" })).body.result._meta).toHaveProperty([
      SUBSCRIPTION_META_KEY,
    ]);
    expect(attached.seen).toEqual([ARGS]);
  });
});

describe("2026-07-28: lists a client may keep", () => {
  test.each(["McpServer", "Server"])("are private and not to be kept, whatever the author hinted: %s", async (host) => {
    const made = await openWakeWorld();
    let asked = 0;
    const hints = { cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "public" as const } } };
    const served = await serveHandler(() => {
      if (host === "McpServer") {
        const server = new McpServer(INFO, hints);
        server.registerTool("a", {}, () => ({ content: [] }));
        made.wake.attach(server);
        return server;
      }
      const server = new Server2(INFO, { capabilities: { tools: {} }, ...hints });
      server.setRequestHandler("tools/list", () => {
        asked += 1;
        return { tools: [], ttlMs: 60_000, cacheScope: "public" };
      });
      made.wake.attach(server);
      return server;
    });
    onTestFinished(() => served.close());
    const client = await modernClient(served.url);
    expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    if (host === "Server") expect(asked).toBe(2);
  });
});

const PAGES: Readonly<Record<string, any>> = {
  first: { tools: [{ name: "plain", inputSchema: { type: "object" } }], nextCursor: "second" },
  second: {
    tools: [{ name: "own", inputSchema: { type: "object", properties: { session_key: { type: "string" } } } }],
    nextCursor: "third",
  },
  third: { tools: [{ name: "start_crawl", description: "Crawl", inputSchema: { type: "object", additionalProperties: false } }] },
};

const PAGED: Readonly<Record<string, { readonly kind: HostKind; readonly modern: boolean }>> = {
  "1.x Server": { kind: "1.x Server", modern: false },
  "2.x Server": { kind: "2.x Server", modern: false },
  "2.x Server, 2026-07-28": { kind: "2.x Server", modern: true },
};

describe.each(Object.entries(PAGED))("a list in pages: %s", (_name, { kind, modern }) => {
  async function setup() {
    const made = await openWakeWorld();
    const seen: unknown[] = [];
    const list = (request: any): any => PAGES[request.params?.cursor ?? "first"];
    const call = async ({ params }: any): Promise<any> => {
      seen.push([params.name, params.arguments]);
      if (params.name === "start_crawl") await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
      return { content: [{ type: "text", text: "ok" }] };
    };
    const make = (): any => {
      const server: any = new (kind === "1.x Server" ? Server1 : Server2)(INFO, { capabilities: { tools: {} } });
      server.setRequestHandler(kind === "1.x Server" ? ListToolsRequestSchema : "tools/list", list);
      server.setRequestHandler(kind === "1.x Server" ? CallToolRequestSchema : "tools/call", call);
      made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
      return server;
    };
    if (modern) {
      const served = closedAfterTest(await serveHandler(make));
      return { made, seen, client: (await modernClient(served.url)) as any };
    }
    const link = closedAfterTest(await inMemory(kind, make, kind === "1.x Server" ? 1 : 2));
    return { made, seen, client: link.client };
  }

  test("amends each page, keeps the cursors, and lists the built-in tools once, behind the last", async () => {
    const { made, client } = await setup();
    const schema = kind === "1.x Server" ? [(await import("@modelcontextprotocol/sdk/types.js")).ListToolsResultSchema] : [];
    const names: string[][] = [];
    let cursor: string | undefined;
    do {
      const page: any = await client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, ...schema);
      names.push(page.tools.map((tool: any) => tool.name));
      if (page.tools[0].name === "start_crawl") expect(page.tools[0].description).toContain("crawl.finished");
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual([["plain"], ["own"], ["start_crawl", "unsubscribe_events", "list_subscriptions"]]);
    expect(made.log).toEqual([]);
  });

  test("knows each tool's own arguments at a call that comes before any list, whichever page has it (seed-138, seed-139)", async () => {
    const { seen, client } = await setup();
    const ours = { session_key: "k", harness: "h", conversation_id: "c" };
    for (const name of ["own", "start_crawl", "plain"]) expect((await client.callTool({ name, arguments: ours })).isError).not.toBe(true);
    expect(seen).toEqual([
      ["own", { session_key: "k" }],
      ["start_crawl", {}],
      ["plain", {}],
    ]);
  });
});
