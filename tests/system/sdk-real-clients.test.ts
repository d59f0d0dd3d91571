import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { createEverything } from "./sdk-support/everything.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { serveHandler } from "./sdk-support/links.ts";

/** What a client of any library is asked to do here. */
interface AnyClient {
  list(): Promise<readonly { readonly name: string; readonly description?: string | undefined }[]>;
  call(name: string, args: object): Promise<any>;
  close(): Promise<unknown>;
}

const NAME = { name: "test-client", version: "1" };

const CLIENTS: Readonly<Record<string, (url: string) => Promise<AnyClient>>> = {
  "the official 1.x client": async (url) => {
    const client = new Client1(NAME);
    await client.connect(new Http1(new URL(url)));
    return officialClient(client);
  },
  "the official 2.x client": async (url) => {
    const client = new Client2(NAME);
    await client.connect(new Http2(new URL(url)));
    return officialClient(client);
  },
  "the official 2.x client, which picks the protocol": async (url) => {
    const client = new Client2(NAME, { versionNegotiation: { mode: "auto" } });
    await client.connect(new Http2(new URL(url)));
    return officialClient(client);
  },
  "the AI SDK's client": async (url) => {
    const client = await createMCPClient({ transport: { type: "http", url } });
    const tools: any = await client.tools();
    return {
      list: async () => Object.entries(tools).map(([name, tool]: [string, any]) => ({ name, description: tool.description })),
      call: (name, args) => tools[name].execute(args, { toolCallId: "1", messages: [] }),
      close: () => client.close(),
    };
  },
};

function officialClient(client: any): AnyClient {
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

const WRAPPED = fileURLToPath(new URL("./sdk-support/wrapped-everything.mjs", import.meta.url));

/** A third party's server with Wakeshift attached, as a process of its own. */
async function serveEverything(world: CoreWorld): Promise<{ readonly url: string; readonly stderr: () => string }> {
  const child = spawn(process.execPath, [WRAPPED], {
    env: { PATH: process.env["PATH"] ?? "", WAKESHIFT_KEY: world.key, WAKESHIFT_CORE: world.core.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      const found = /listening on (\S+)/.exec((stdout += String(chunk)))?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`the server ended: ${stderr}`)));
  });
  return { url, stderr: () => stderr };
}

function eventsOf(world: CoreWorld) {
  const app = new Wakeshift({ key: world.key, core: world.core.url, logger: () => undefined });
  return {
    messageAnswered: app.defineEvent("message.answered", {
      description: "Someone answered a message",
      args: z.object({ message: z.string() }),
      payload: z.object({ answer: z.string() }),
    }),
    weatherChanged: app.defineEvent("weather.changed", {
      description: "The weather of a city changed",
      args: z.object({ location: z.string() }),
      payload: z.object({ conditions: z.string() }),
    }),
  };
}

describe.each(Object.entries(CLIENTS))("%s", (_name, connect) => {
  test("subscribes through a third party's server from npm, and is woken; its other tools answer as before (seed-20, seed-22)", async () => {
    const world = closedAfterTest(await startCoreWorld());
    const { url, stderr } = await serveEverything(world);
    const client = closedAfterTest(await connect(url));
    const tools = await client.list();
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(["echo", "get-sum", "get-structured-content", "list_subscriptions"]));
    expect(tools.find((tool) => tool.name === "echo")?.description).toMatch(/^Echoes back the input string\. This tool is how/);
    expect(tools.find((tool) => tool.name === "get-sum")?.description).not.toContain("notifies");

    const echoed = await client.call("echo", { message: "hello", session_key: "none", harness: "codex" });
    expect(echoed.content[0].text).toBe("Echo: hello");
    const [message] = echoed._meta[SUBSCRIPTION_META_KEY];
    const weather = await client.call("get-structured-content", { location: "Chicago" });
    expect(weather.structuredContent).toMatchObject({ humidity: 82, wakeshift: { state: "subscribed", event: "weather.changed" } });
    const [city] = weather._meta[SUBSCRIPTION_META_KEY];
    expect((await client.call("get-sum", { a: 2, b: 3 })).content[0].text).toContain("5");

    const { messageAnswered, weatherChanged } = eventsOf(world);
    await messageAnswered.emit({ message: "hello" }, { answer: "hi" });
    await weatherChanged.emit({ location: "Chicago" }, { conditions: "Snow" });
    expect((await world.next([message.ticket])).wakes).toMatchObject([{ subscription: message.id, payload: { answer: "hi" } }]);
    expect((await world.next([city.ticket])).wakes).toMatchObject([{ subscription: city.id, payload: { conditions: "Snow" } }]);
    expect(stderr()).toBe("");
  });

  test("takes every result of an own server made per request, whose output schema is closed", async () => {
    const world = closedAfterTest(await startCoreWorld());
    const served = await serveHandler(() => {
      const server = makeHost("2.x McpServer", [
        {
          name: "start_crawl",
          description: "Crawl a site",
          input: z.strictObject({ job: z.string() }),
          output: z.strictObject({ job: z.string() }),
          run: async ({ job }) => {
            if (job === "quiet") return { content: [], structuredContent: { job } };
            await world.wake.currentCall().subscribe(world.crawlFinished, { job });
            if (job === "fails") return { content: [{ type: "text", text: "no" }], isError: true };
            return { content: [], structuredContent: { job } };
          },
        },
      ]);
      world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
      return server;
    });
    onTestFinished(() => served.close());
    const client = closedAfterTest(await connect(served.url));
    expect((await client.list()).map((tool) => tool.name)).toEqual(["start_crawl", "unsubscribe_events", "list_subscriptions"]);
    const subscribed = await client.call("start_crawl", { job: "1", session_key: "none" });
    expect(subscribed.structuredContent).toMatchObject({ job: "1", wakeshift: { event: "crawl.finished" } });
    const [{ ticket, id }] = subscribed._meta[SUBSCRIPTION_META_KEY];
    expect((await client.call("start_crawl", { job: "quiet" })).structuredContent).toEqual({ job: "quiet" });
    expect(await client.call("start_crawl", { job: "fails" })).toMatchObject({ isError: true });
    await world.crawlFinished.emit({ job: "1" }, { status: "done" });
    expect((await world.next([ticket])).wakes).toMatchObject([{ subscription: id, payload: { status: "done" } }]);
  });
});

test("everything else of the third party's server is as it is without Wakeshift: handshake, prompts, resources, tools that come later", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const views = [];
  for (const attach of [false, true]) {
    const { server, cleanup } = await createEverything();
    if (attach) world.wake.attach(server, { wrap: () => undefined });
    const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
    // A client with these has three more tools, which the server registers once it knows.
    const client = new Client1(NAME, { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
    client.setRequestHandler({ shape: { method: { _def: { value: "roots/list" } } } } as never, () => ({ roots: [] }));
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    onTestFinished(async () => {
      await client.close();
      cleanup();
    });
    const { tools } = await client.listTools();
    views.push({
      tools: tools.filter((tool) => !/^(un)?subscribe_events$|^list_subscriptions$/.test(tool.name)),
      prompts: await client.listPrompts(),
      resources: await client.listResources(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      sum: await client.callTool({ name: "get-sum", arguments: { a: 1, b: 2 } }),
      refused: await client.callTool({ name: "get-sum", arguments: { a: "x" } }),
    });
  }
  expect(views[1]).toEqual(views[0]);
});
