import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openClient, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { INFO, addTool } from "./sdk-support/hosts.ts";
import type { WakeWorld } from "./sdk-support/wake-world.ts";

const codes = (made: WakeWorld): string[] => made.log.map((entry) => `${entry.level} ${entry.code}`);
const ok = { content: [{ type: "text", text: "ok" }] };

test.each([
  ["2.x", McpServer2, "2.x McpServer"],
  ["1.x", McpServer1, "1.x McpServer"],
] as const)(
  "%s: a tool of the author with a built-in's name wins, also when it is registered late; the handshake stays as it was (PC-08)",
  async (_line, McpServer, kind) => {
    const made = await openWakeWorld();
    const build = (): any => new (McpServer as any)(INFO, { capabilities: { tools: { listChanged: false } } });
    const bare = await openClient(kind, build());
    const server = build();
    made.wake.attach(server, { wrap: (tool) => (tool === "late" ? [made.crawlFinished] : undefined) });
    const client = await openClient(kind, server);
    expect(client.getServerCapabilities()).toEqual(bare.getServerCapabilities());
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["unsubscribe_events", "list_subscriptions"]);
    addTool(server, {
      name: "list_subscriptions",
      input: z.object({ q: z.string() }),
      run: ({ q }) => ({ content: [{ type: "text", text: `the author's ${q}` }] }),
    });
    addTool(server, { name: "late", description: "Late", run: () => ok });
    // Called before it is listed again: the registry knows it already.
    expect(await client.callTool({ name: "list_subscriptions", arguments: { q: "x", session_key: "k" } })).toMatchObject({
      content: [{ text: "the author's x" }],
    });
    const listed = (await client.listTools()).tools;
    expect(listed.map((tool: any) => tool.name)).toEqual(["list_subscriptions", "late", "unsubscribe_events"]);
    expect(Object.keys(listed[0].inputSchema.properties)).toEqual(["q"]);
    expect(listed[1].description).toContain("crawl.finished");
    expect(codes(made)).toEqual(["warn builtin_name_conflict"]);
  },
);

describe.each([
  ["2.x McpServer", McpServer2],
  ["1.x McpServer", McpServer1],
] as const)("an attach to a %s that fails", (kind, McpServer) => {
  const build = (): any => new (McpServer as any)(INFO, { capabilities: { logging: {} } });
  /** All an attach could leave on a server. */
  const traces = ({ server }: any): unknown => [
    Reflect.ownKeys(server),
    [...server._requestHandlers],
    server.setRequestHandler,
    server.sendToolListChanged,
    server.getCapabilities?.() ?? server._capabilities,
  ];
  /** What a publish says of the tools that subscribe. */
  const told = async (made: WakeWorld): Promise<unknown> => {
    await made.crawlFinished.emit({ job: "1" }, { status: "done" });
    return made.peer.to("/manifest").at(-1)?.body["events"][0].tools;
  };

  test("says to attach before connecting where a server without tools is connected, leaves nothing behind, and fails so again", async () => {
    const made = await openWakeWorld();
    const server = build();
    const client = await openClient(kind, server);
    const before = traces(server);
    for (let time = 0; time < 2; time += 1) {
      expect(() => made.wake.attach(server, { wrap: { never: [made.crawlFinished] } })).toThrow(
        expect.objectContaining({
          name: "WakeshiftError",
          code: "bad_request",
          message: expect.stringContaining("before server.connect()"),
        }),
      );
      expect(traces(server)).toEqual(before);
    }
    expect(client.getServerCapabilities()).toEqual({ logging: {} });
    expect(await told(made)).toEqual([]);
    // Disconnected, it can be attached to.
    await server.close();
    made.wake.attach(server, { wrap: { later: [made.crawlFinished] } });
    addTool(server, { name: "later", run: () => ok });
    expect((await (await openClient(kind, server)).listTools()).tools.map((tool: any) => tool.name)).toContain("unsubscribe_events");
  });

  test("over what it was given leaves nothing behind either", async () => {
    const made = await openWakeWorld();
    const server = build();
    const before = traces(server);
    const wrap = { good: [made.crawlFinished], wrong: ["crawl.finished" as never] };
    expect(() => made.wake.attach(server, { wrap })).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(traces(server)).toEqual(before);
    made.wake.attach(server);
    const after = traces(server);
    expect(() => made.wake.attach(server, { wrap: { again: [made.crawlFinished] } })).toThrow(
      expect.objectContaining({ code: "already_attached" }),
    );
    expect(traces(server)).toEqual(after);
    expect(await told(made)).toEqual([]);
  });

  test("is none where the connected server has tools, or handlers of the author's own for them", async () => {
    const made = await openWakeWorld();
    const server = build();
    addTool(server, { name: "there", run: () => ok });
    const client = await openClient(kind, server);
    made.wake.attach(server, { wrap: { there: [made.crawlFinished] } });
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["there", "unsubscribe_events", "list_subscriptions"]);
    const own = build();
    own.server.registerCapabilities({ tools: {} });
    const [list, call]: any[] = kind === "2.x McpServer" ? ["tools/list", "tools/call"] : [ListToolsRequestSchema, CallToolRequestSchema];
    own.server.setRequestHandler(list, () => ({ tools: [{ name: "mine", inputSchema: { type: "object" } }] }));
    own.server.setRequestHandler(call, () => ok);
    made.wake.attach(own);
    expect((await (await openClient(kind, own)).listTools()).tools[0]).toMatchObject({ name: "mine" });
  });
});

test.each([
  ["2.x, listChanged declared", McpServer2, "2.x McpServer", { tools: { listChanged: true } }],
  ["1.x, listChanged declared", McpServer1, "1.x McpServer", { tools: { listChanged: true } }],
  ["2.x, other capabilities only", McpServer2, "2.x McpServer", { logging: {} }],
  ["1.x, other capabilities only", McpServer1, "1.x McpServer", { logging: {} }],
] as const)(
  "%s: a first tool registered after connecting throws nothing, and the handshake is that of a server with a tool (PC-08)",
  async (_name, McpServer, kind, capabilities) => {
    const made = await openWakeWorld();
    const build = (): any => new (McpServer as any)(INFO, { capabilities });
    const bare = build();
    addTool(bare, { name: "any", run: () => ok });
    const expected = (await openClient(kind, bare)).getServerCapabilities();
    const server = build();
    made.wake.attach(server, { wrap: () => [made.crawlFinished] });
    const client = await openClient(kind, server);
    expect(client.getServerCapabilities()).toEqual(expected);
    for (const name of ["unsubscribe_events", "late"]) addTool(server, { name, description: "Late", run: () => ok });
    const listed = (await client.listTools()).tools;
    expect(listed.map((tool: any) => tool.name)).toEqual(["unsubscribe_events", "late", "list_subscriptions"]);
    for (const tool of listed.slice(0, 2)) expect(tool.description).toContain("crawl.finished");
    expect(codes(made)).toEqual(["warn builtin_name_conflict"]);
  },
);

test("attaches before any tool is registered, and serves the built-ins of a server that has none", async () => {
  for (const [McpServer, kind] of [
    [McpServer2, "2.x McpServer"],
    [McpServer1, "1.x McpServer"],
  ] as const) {
    const made = await openWakeWorld();
    const server: any = new (McpServer as any)(INFO);
    made.wake.attach(server, { wrap: { later: [made.crawlFinished] } });
    addTool(server, { name: "later", run: () => ok });
    const client = await openClient(kind, server);
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["later", "unsubscribe_events", "list_subscriptions"]);
  }
});
