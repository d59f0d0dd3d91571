import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from "@modelcontextprotocol/client";
import { registerAppTool } from "@modelcontextprotocol/ext-apps/server";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { INFO } from "./sdk-support/hosts.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";

async function startWorld(): Promise<CoreWorld> {
  return closedAfterTest(await startCoreWorld());
}

async function connect(client: any, Transport: any, served: { readonly url: string; close(): Promise<void> }): Promise<any> {
  onTestFinished(() => served.close());
  await client.connect(new Transport(new URL(served.url)));
  onTestFinished(() => client.close());
  return client;
}

async function isWoken(real: CoreWorld, result: any, job: string): Promise<void> {
  const [entry] = result._meta[SUBSCRIPTION_META_KEY];
  await real.crawlFinished.emit({ job }, { status: "done" });
  expect((await real.next([entry.ticket])).wakes).toMatchObject([{ arguments: { job }, payload: { status: "done" } }]);
}

const OURS = { session_key: "none", harness: "codex", conversation_id: "c" };

describe.each([true, false])("server.tool() of 1.x over HTTP, with sessions: %s", (sessions) => {
  test("is wrapped in each of its forms, whichever zod its shapes are of (seed-20, seed-21, seed-22)", async () => {
    const real = await startWorld();
    const seen: any[] = [];
    const make = (): McpServer1 => {
      const server = new McpServer1(INFO);
      const subscribe = async (args: any, extra: any): Promise<any> => {
        seen.push(args);
        await real.wake.currentCall(extra).subscribe(real.crawlFinished, { job: args.url ?? "none" });
        return { content: [{ type: "text", text: "ok" }] };
      };
      server.tool("bare", (extra) => subscribe({}, extra));
      server.tool("described", "With a description", (extra) => subscribe({}, extra));
      server.tool("shaped", { url: z.string() }, subscribe);
      server.tool("zod3", "With zod 3", { url: z3.string() }, subscribe);
      server.tool("hinted", "With hints", { url: z.string() }, { readOnlyHint: true }, subscribe);
      server.tool("plain", { q: z.string() }, (args) => {
        seen.push(args);
        return { content: [] };
      });
      real.wake.attach(server, { wrap: (tool) => (tool === "plain" ? undefined : [real.crawlFinished]) });
      return server;
    };
    const client = await connect(new Client1(INFO), HttpClient1, await serveHttp("1.x McpServer", make, sessions));
    const { tools } = await client.listTools();
    const names = ["bare", "described", "shaped", "zod3", "hinted"];
    expect(tools.map((tool: any) => tool.name)).toEqual([...names, "plain", "unsubscribe_events", "list_subscriptions"]);
    for (const name of names) {
      const tool = tools.find((each: any) => each.name === name);
      expect(Object.keys(tool.inputSchema.properties)).toEqual(expect.arrayContaining(Object.keys(OURS)));
      expect(tool.description).toContain("crawl.finished");
      const url = `${name} crawl`;
      const own = ["bare", "described"].includes(name) ? {} : { url };
      const result = await client.callTool({ name, arguments: { ...own, ...OURS } });
      expect(seen.at(-1)).toEqual(own);
      await isWoken(real, result, "url" in own ? url : "none");
    }
    expect(tools.find((each: any) => each.name === "hinted").annotations).toEqual({ readOnlyHint: true });
    await client.callTool({ name: "plain", arguments: { q: "x", ...OURS } });
    expect(seen.at(-1)).toEqual({ q: "x" });
    expect(real.log).toEqual([]);
  });
});

describe.each(["2025-11-25", "2026-07-28"])("a library that registers tools on the author's McpServer, protocol %s", (version) => {
  test("has them wrapped, with all that it adds to them kept, before and after attach (seed-20, seed-22)", async () => {
    const real = await startWorld();
    const make = (): McpServer2 => {
      const server = new McpServer2(INFO);
      const register = (name: string): unknown =>
        registerAppTool(
          server,
          name,
          { description: "Crawl", inputSchema: z.object({ url: z.string() }), _meta: { ui: { resourceUri: "ui://crawl/view.html" } } },
          async ({ url }: any) => {
            await real.wake.currentCall().subscribe(real.crawlFinished, { job: url });
            return { content: [{ type: "text", text: "ok" }], _meta: { "library/own": 1 } };
          },
        );
      register("before");
      real.wake.attach(server, { wrap: { before: [real.crawlFinished], after: [real.crawlFinished] } });
      register("after");
      return server;
    };
    const mode = version === "2026-07-28" ? { versionNegotiation: { mode: { pin: version } } } : {};
    const client = await connect(new Client2(INFO, mode), HttpClient2, await serveHandler(make));
    const { tools } = await client.listTools();
    for (const name of ["before", "after"]) {
      const tool = tools.find((each: any) => each.name === name);
      expect(tool._meta).toMatchObject({ ui: { resourceUri: "ui://crawl/view.html" } });
      expect(Object.keys(tool.inputSchema.properties)).toEqual(["url", ...Object.keys(OURS)]);
      const result = await client.callTool({ name, arguments: { url: name, ...OURS } });
      expect(result._meta).toMatchObject({ "library/own": 1 });
      await isWoken(real, result, name);
    }
  });
});

test("a tool added while a client is connected is told of, amended and woken for, and one removed is gone (seed-18, seed-19)", async () => {
  const real = await startWorld();
  const server = new McpServer1(INFO, { capabilities: { tools: { listChanged: true } } });
  server.registerTool("first", {}, () => ({ content: [] }));
  real.wake.attach(server, { wrap: (tool) => (tool.startsWith("crawl_") ? [real.crawlFinished] : undefined) });
  const client = new Client1(INFO);
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  await connect(client, HttpClient1, await serveHttp("1.x McpServer", () => server, true));
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map((tool) => tool.name);
  expect(await names()).toEqual(["first", "unsubscribe_events", "list_subscriptions"]);

  const late = server.registerTool("crawl_late", { description: "Late", inputSchema: { url: z.string() } }, async ({ url }) => {
    await real.wake.currentCall().subscribe(real.crawlFinished, { job: url });
    return { content: [] };
  });
  await expect.poll(() => changes, { timeout: 20_000 }).toBe(1);
  expect(await names()).toEqual(["first", "crawl_late", "unsubscribe_events", "list_subscriptions"]);
  await isWoken(real, await client.callTool({ name: "crawl_late", arguments: { url: "late", ...OURS } }), "late");
  late.remove();
  await expect.poll(() => changes, { timeout: 20_000 }).toBe(2);
  expect(await names()).toEqual(["first", "unsubscribe_events", "list_subscriptions"]);
  expect(real.log).toEqual([]);
});
