import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server as Server2 } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { openClient, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, INFO, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A low-level server of either line with these two handlers. */
function lowLevel(kind: "1.x Server" | "2.x Server", list: () => any, call: (params: any, context: any) => any): any {
  const server: any = new (kind === "1.x Server" ? Server1 : Server2)(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler(kind === "1.x Server" ? ListToolsRequestSchema : "tools/list", list);
  server.setRequestHandler(kind === "1.x Server" ? CallToolRequestSchema : "tools/call", (request: any, context: any) =>
    call(request.params, context),
  );
  return server;
}

const OURS = { session_key: "k", harness: "codex", conversation_id: "c" };
const OUTPUT = { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false };
const TOOL = {
  name: "start_crawl",
  description: "Crawl a site",
  inputSchema: { type: "object", properties: { job: { type: "string" } }, additionalProperties: false },
  outputSchema: OUTPUT,
  annotations: { readOnlyHint: false },
  _meta: { "author/tool": { deep: [1] } },
};
const RESULT = {
  content: [{ type: "text", text: "started", _meta: { "author/part": 1 } }],
  structuredContent: { job: "1" },
  _meta: { "author/key": { deep: [1] } },
};

describe.each(["1.x Server", "2.x Server"] as const)("%s", (kind) => {
  test("frozen tools and results, shared by two servers and all calls, are served as if each were new", async () => {
    const made = await openWakeWorld();
    const list = deepFreeze({ tools: [TOOL], _meta: { "author/list": 1 } });
    const result = deepFreeze(structuredClone(RESULT));
    const calls = async ({ arguments: args }: any): Promise<any> => {
      if (args.job !== "quiet") await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
      return result;
    };
    const clients: any[] = [];
    for (let each = 0; each < 2; each += 1) {
      const server = lowLevel(kind, () => list, calls);
      made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
      clients.push(await openClient(kind, server));
    }
    const bare = await openClient(
      kind,
      lowLevel(kind, () => list, calls),
    );
    const asAuthor: any = (await bare.listTools()).tools[0];
    for (const client of [...clients, ...clients]) {
      const listed = await client.listTools();
      expect(listed._meta).toMatchObject({ "author/list": 1 });
      const [tool, ...others] = listed.tools;
      expect(others.map((other: any) => other.name)).toEqual(["unsubscribe_events", "list_subscriptions"]);
      expect(Object.keys(tool.inputSchema.properties)).toEqual(["job", ...Object.keys(OURS)]);
      expect({ ...tool, description: "", inputSchema: {}, outputSchema: {} }).toEqual({
        ...asAuthor,
        description: "",
        inputSchema: {},
        outputSchema: {},
      });
      for (const job of ["a", "b"]) {
        const answer = await client.callTool({ name: "start_crawl", arguments: { job, ...OURS } });
        expect(answer._meta).toMatchObject({ "author/key": { deep: [1] }, [SUBSCRIPTION_META_KEY]: [{ arguments: { job } }] });
        expect(answer._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
        expect(answer.content).toHaveLength(2);
        expect(answer.content[0]).toEqual(RESULT.content[0]);
        expect(answer.structuredContent).toMatchObject({ job: "1", wakeshift: { arguments: { job } } });
      }
      // The same object as before, in a call that subscribes nothing: nothing of the calls before is in it.
      expect(await client.callTool({ name: "start_crawl", arguments: { job: "quiet", ...OURS } })).toMatchObject(RESULT);
    }
    expect(list.tools[0]).toEqual(TOOL);
    expect(result).toEqual(RESULT);
    expect(made.log).toEqual([]);
  });

  test("a handler that changes its arguments, and the request they came in, changes nothing of ours", async () => {
    const made = await openWakeWorld();
    const seen: string[] = [];
    const server = lowLevel(
      kind,
      () => ({ tools: [TOOL] }),
      async (params) => {
        seen.push(JSON.stringify(params.arguments));
        params.name = "another";
        params.arguments.job = "changed";
        params.arguments.session_key = "the author's";
        const call = made.wake.currentCall();
        delete params.arguments;
        await call.subscribe(made.crawlFinished, { job: "1" });
        return RESULT;
      },
    );
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    for (let time = 0; time < 2; time += 1) {
      const answer = await client.callTool({ name: "start_crawl", arguments: { job: "1", ...OURS } });
      expect(answer._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ tool: "start_crawl", arguments: { job: "1" } }]);
    }
    expect(seen).toEqual(['{"job":"1"}', '{"job":"1"}']);
    for (const { body } of made.peer.to("/event-subscriptions"))
      expect(body["call"]).toMatchObject({ session: "k", harness: "codex", conversation: "c", tool: "start_crawl" });
  });

  test("what an author changes in a shared list is listed from then on, and a result handed over stays as it was", async () => {
    const made = await openWakeWorld();
    const list = { tools: [structuredClone(TOOL)] };
    const given: any[] = [];
    const server = lowLevel(
      kind,
      () => list,
      async () => {
        await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
        given.push(structuredClone(RESULT));
        return given.at(-1);
      },
    );
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    await client.listTools();
    Object.assign(list.tools[0]?.inputSchema.properties ?? {}, { later: { type: "string" } });
    expect(Object.keys((await client.listTools()).tools[0].inputSchema.properties)).toEqual(["job", "later", ...Object.keys(OURS)]);
    await client.callTool({ name: "start_crawl", arguments: { job: "1" } });
    expect(given).toEqual([RESULT]);
  });

  test.each([
    ["an object", { job: "1" }, true],
    ["an empty object", {}, true],
    ["a frozen object", deepFreeze({ job: "1" }), true],
    ["none", undefined, false],
  ])("a tool without output schema that returns %s as structured content keeps it", async (_what, structured, carries) => {
    const made = await openWakeWorld();
    const { outputSchema: _none, ...tool } = TOOL;
    const server = lowLevel(
      kind,
      () => ({ tools: [tool] }),
      async () => {
        await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
        return { content: [], ...(structured === undefined ? {} : { structuredContent: structured }) };
      },
    );
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    expect((await client.listTools()).tools[0]).not.toHaveProperty("outputSchema");
    const answer = await client.callTool({ name: "start_crawl", arguments: {} });
    expect(answer._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    expect(answer.content).toHaveLength(1);
    if (carries) expect(answer.structuredContent).toEqual({ ...structured, wakeshift: expect.objectContaining({ state: "subscribed" }) });
    else expect(answer).not.toHaveProperty("structuredContent");
  });
});

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("a result that every call returns again never gathers what calls before it subscribed", async () => {
    const made = await openWakeWorld();
    const shared = structuredClone(RESULT);
    const server = makeHost(kind, [
      {
        name: "start_crawl",
        input: z.object({ job: z.string() }),
        output: z.object({ job: z.string() }),
        run: async ({ job }) => {
          await made.wake.currentCall().subscribe(made.crawlFinished, { job });
          return shared;
        },
      },
    ]);
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    const jobs = ["a", "b", "c", "d"];
    const answers = await Promise.all(jobs.map((job) => client.callTool({ name: "start_crawl", arguments: { job } })));
    for (const [place, job] of jobs.entries()) {
      expect(answers[place]._meta).toMatchObject({ "author/key": { deep: [1] } });
      expect(answers[place]._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job } }]);
      expect(answers[place]._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(answers[place].content).toHaveLength(2);
    }
    expect(shared).toEqual(RESULT);
  });

  test("the author's tool with a built-in's name is wrapped as any other, and is the one that is listed and called", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [
      {
        name: "list_subscriptions",
        description: "Lists the newsletter's subscribers",
        input: z.strictObject({ list: z.string() }),
        run: async ({ list }) => {
          await made.wake.currentCall().subscribe(made.crawlFinished, { job: list });
          return { content: [{ type: "text", text: `readers of ${list}` }] };
        },
      },
    ]);
    made.wake.attach(server, { wrap: { list_subscriptions: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    // Called before any list.
    const called = await client.callTool({ name: "list_subscriptions", arguments: { list: "l", ...OURS } });
    expect(called.content[0].text).toBe("readers of l");
    expect(called._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ tool: "list_subscriptions", arguments: { job: "l" } }]);
    const { tools } = await client.listTools();
    expect(tools.map((tool: any) => tool.name)).toEqual(["list_subscriptions", "unsubscribe_events"]);
    expect(tools[0].description).toMatch(/^Lists the newsletter's subscribers\. This tool is how/);
  });
});

test("zod 3 and zod 4 tools live in one process, on both lines of the MCP SDK and one Wakeshift", async () => {
  const made = await openWakeWorld();
  const seen: unknown[] = [];
  const run = async (args: any): Promise<any> => {
    seen.push(args);
    await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
    return { content: [{ type: "text", text: args.job }] };
  };
  const older: any = new McpServer1(INFO);
  older.registerTool("three", { inputSchema: z3.object({ job: z3.string() }).strict() }, run);
  older.registerTool("four", { inputSchema: z.strictObject({ job: z.string() }) }, run);
  const newer = makeHost("2.x McpServer", [{ name: "four", input: z.strictObject({ job: z.string() }), run }]);
  for (const server of [older, newer]) made.wake.attach(server, { wrap: { three: [made.crawlFinished], four: [made.crawlFinished] } });
  const clients = [await openClient("1.x McpServer", older), await openClient("2.x McpServer", newer)];
  for (const [client, name] of [
    [clients[0], "three"],
    [clients[0], "four"],
    [clients[1], "four"],
  ] as const) {
    const tool = (await client.listTools()).tools.find((each: any) => each.name === name);
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["job", ...Object.keys(OURS)]);
    const answer = await client.callTool({ name, arguments: { job: name, ...OURS } });
    expect(answer._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ tool: name }]);
  }
  expect(seen).toEqual([{ job: "three" }, { job: "four" }, { job: "four" }]);
});

/** A second installation of a package, elsewhere in the tree, with the same things to import. */
async function secondCopy(name: string, file: string): Promise<any> {
  const root = await mkdtemp(join(tmpdir(), "sdk-tree-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const installed = join(fileURLToPath(new URL("../../node_modules", import.meta.url)), name);
  await cp(installed, join(root, "package"), { recursive: true });
  await symlink(dirname(dirname(installed)), join(root, "node_modules"), "dir");
  // By require, which Node itself loads: the test runner would rewrite what it imports.
  return createRequire(import.meta.url)(join(root, "package", file));
}

test("servers of two copies of an MCP SDK in one tree, and of its two module formats, are attached to alike", async () => {
  const made = await openWakeWorld();
  const require = createRequire(import.meta.url);
  const { McpServer, Server } = await import("@modelcontextprotocol/server");
  const copied2 = await secondCopy("@modelcontextprotocol/server", join("dist", "index.mjs"));
  const copied1 = await secondCopy("@modelcontextprotocol/sdk", join("dist", "esm", "server", "index.js"));
  const required2 = require("@modelcontextprotocol/server");
  const required1 = require("@modelcontextprotocol/sdk/server/index.js");
  expect(copied2.Server).not.toBe(Server);
  expect(required2.McpServer).not.toBe(McpServer);
  expect(copied1.Server).not.toBe(Server1);
  const subscribe = async ({ arguments: args }: any): Promise<any> => {
    await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
    return { content: [] };
  };
  const low = (ServerClass: any, line: 1 | 2): any => {
    const server = new ServerClass(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler(line === 1 ? ListToolsRequestSchema : "tools/list", () => ({ tools: [{ ...TOOL, outputSchema: undefined }] }));
    server.setRequestHandler(line === 1 ? CallToolRequestSchema : "tools/call", (request: any) => subscribe(request.params));
    return server;
  };
  const high = (McpServerClass: any): any => {
    const server = new McpServerClass(INFO);
    const run = (args: any): Promise<any> => subscribe({ arguments: args });
    server.registerTool("start_crawl", { inputSchema: z.strictObject({ job: z.string() }) }, run);
    return server;
  };
  const servers: readonly (readonly [HostKind, any])[] = [
    ["2.x Server", low(Server, 2)],
    ["2.x Server", low(copied2.Server, 2)],
    ["2.x Server", low(required2.Server, 2)],
    ["2.x McpServer", high(copied2.McpServer)],
    ["2.x McpServer", high(required2.McpServer)],
    ["1.x Server", low(Server1, 1)],
    ["1.x Server", low(copied1.Server, 1)],
    ["1.x Server", low(required1.Server, 1)],
  ];
  for (const [kind, server] of servers) {
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    expect(Object.keys((await client.listTools()).tools[0].inputSchema.properties)).toEqual(["job", ...Object.keys(OURS)]);
    const answer = await client.callTool({ name: "start_crawl", arguments: { job: kind, ...OURS } });
    expect(answer._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: kind } }]);
  }
});
