import { McpServer as McpServer2, Server as Server2 } from "@modelcontextprotocol/server";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { closedAfterTest, openClient, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, INFO, addTool, makeHost } from "./sdk-support/hosts.ts";
import type { HostTool } from "./sdk-support/hosts.ts";
import { serveHandler } from "./sdk-support/links.ts";
import { failOnUnhandledRejections } from "./sdk-support/unhandled-rejections.ts";
import { startWakeWorld } from "./sdk-support/wake-world.ts";
import type { WakeWorld } from "./sdk-support/wake-world.ts";

failOnUnhandledRejections();

const codes = (made: WakeWorld): string[] => made.log.map((entry) => `${entry.level} ${entry.code}`);
const ok = { content: [{ type: "text", text: "ok" }] };

/** Ways of a schema to name an argument without describing it as a property. */
const NAMED_OTHERWISE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "what is required": { required: ["session_key"] },
  "a condition": { if: { required: ["harness"] }, then: { required: ["url"] } },
  "what follows from a condition": { if: { required: ["url"] }, then: { properties: { session_key: { type: "string" } } } },
  "what another one requires": { dependentRequired: { url: ["session_key"] } },
  "what another one brings with it": { dependentSchemas: { url: { properties: { session_key: { type: "string" } } } } },
  "what it forbids": { not: { required: ["conversation_id"] } },
  "the names it allows": { propertyNames: { enum: ["url", "session_key", "harness", "conversation_id"] } },
  "a pattern of names": { patternProperties: { "^session_": { type: "string" } } },
  "a branch": { anyOf: [{ required: ["session_key"] }, { required: ["url"] }] },
  "a reference": { $ref: "#/$defs/in", $defs: { in: { required: ["session_key"] } } },
};
const nameIn = (schema: object): string => /session_|harness|conversation_id/.exec(JSON.stringify(schema))?.[0].replace(/_$/, "_key") ?? "";

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test.each(Object.entries(NAMED_OTHERWISE))(
    "leaves a tool unwrapped whose input names an argument of ours by %s, and keeps it for the handler (seed-139, seed-140, PC-04)",
    async (_way, schema) => {
      const name = nameIn(schema);
      const made = await openWakeWorld();
      const seen: any[] = [];
      const run = (args: unknown): object => (seen.push(args), ok);
      const input = z.looseObject({}).meta({ ...schema });
      const server = makeHost(kind, [
        { name: "own", description: "Mine", input, run },
        { name: "alone", description: "Mine", input, run },
      ]);
      made.wake.attach(server, { wrap: { own: [made.crawlFinished] } });
      const client = await openClient(kind, server);
      // Each before and after it is listed; the second isn't in `wrap`.
      for (let time = 0; time < 2; time += 1) {
        for (const tool of ["own", "alone"]) await client.callTool({ name: tool, arguments: { url: "u", [name]: "mine" } });
        const [own] = (await client.listTools()).tools;
        expect(own).toMatchObject({ description: "Mine", inputSchema: JSON.parse(JSON.stringify(schema)) });
        expect(Object.keys(own.inputSchema.properties ?? {})).toEqual([]);
      }
      expect(seen).toEqual(Array.from({ length: 4 }, () => ({ url: "u", [name]: "mine" })));
      expect(codes(made)).toEqual(["error wrap_arg_conflict"]);
    },
  );

  test("says at a call that it leaves a tool unwrapped, also where nobody lists (seed-144)", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [{ name: "own", input: z.strictObject({ session_key: z.string() }), run: () => ok }]);
    made.wake.attach(server, { wrap: { own: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    for (let time = 0; time < 2; time += 1) await client.callTool({ name: "own", arguments: { session_key: "mine" } });
    expect(codes(made)).toEqual(["error wrap_arg_conflict"]);
  });

  test.each(["session_key", "harness", "conversation_id"])(
    "leaves a tool unwrapped whose input names %s, keeps that argument, and says so (seed-140, seed-141, seed-142, seed-144)",
    async (name) => {
      const made = await openWakeWorld();
      const seen: any[] = [];
      const late: any[] = [];
      const server = makeHost(kind, [
        {
          name: "own",
          description: "Mine",
          input: z.strictObject({ [name]: z.string() }),
          run: async (args, context) => {
            seen.push(args);
            try {
              made.wake.currentCall(context);
            } catch (error) {
              late.push(error);
            }
            return ok;
          },
        },
      ]);
      made.wake.attach(server, { wrap: { own: [made.crawlFinished] } });
      const client = await openClient(kind, server);
      // The first call comes before any list.
      const result = await client.callTool({ name: "own", arguments: { [name]: "v" } });
      expect(result).toMatchObject(ok);
      const tool = (await client.listTools()).tools[0];
      expect(Object.keys(tool.inputSchema.properties)).toEqual([name]);
      expect(tool.description).toBe("Mine");
      expect(seen).toEqual([{ [name]: "v" }]);
      expect(late).toEqual([expect.objectContaining({ code: "no_call" })]);
      expect(codes(made)).toEqual(["error wrap_arg_conflict", "warn no_call"]);
      await client.listTools();
      expect(made.log).toHaveLength(2);
    },
  );

  test("leaves a tool unwrapped whose output names wakeshift, and its own field as it is (seed-143, seed-144)", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [
      {
        name: "own",
        output: z.object({ wakeshift: z.string() }),
        run: async (_args, context) => {
          const refused = await (async () => made.wake.currentCall(context).subscribe(made.crawlFinished, { job: "1" }))().catch(
            (error: unknown) => error,
          );
          expect(refused).toMatchObject({ code: "no_call" });
          return { content: [], structuredContent: { wakeshift: "mine" } };
        },
      },
    ]);
    made.wake.attach(server, { wrap: { own: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    expect((await client.callTool({ name: "own", arguments: {} })).structuredContent).toEqual({ wakeshift: "mine" });
    const tool = (await client.listTools()).tools[0];
    expect(tool.inputSchema.properties ?? {}).toEqual({});
    expect((await client.callTool({ name: "own", arguments: {} })).structuredContent).toEqual({ wakeshift: "mine" });
    expect(made.peer.to("/event-subscriptions")).toEqual([]);
    expect(codes(made)).toEqual(["error wrap_arg_conflict", "warn no_call"]);
  });

  test("keeps a name that an unwrapped tool declares itself, and takes the others out (seed-139)", async () => {
    const made = await openWakeWorld();
    const seen: any[] = [];
    const server = makeHost(kind, [
      {
        name: "own",
        input: z.strictObject({ session_key: z.string() }),
        run: (args) => {
          seen.push(args);
          return ok;
        },
      },
    ]);
    made.wake.attach(server);
    const client = await openClient(kind, server);
    expect(await client.callTool({ name: "own", arguments: { session_key: "mine", harness: "h", conversation_id: "c" } })).toMatchObject(
      ok,
    );
    expect(seen).toEqual([{ session_key: "mine" }]);
  });

  test("says that a name in wrap is never listed (seed-145)", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [{ name: "there", run: () => ok }]);
    made.wake.attach(server, { wrap: { there: [made.crawlFinished], tehre: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    await client.listTools();
    await client.listTools();
    expect(made.log).toEqual([expect.objectContaining({ level: "warn", code: "wrap_unknown_tool", tool: "tehre" })]);
  });

  test("covers by a function of the name what is registered later (seed-18, seed-19)", async () => {
    const made = await openWakeWorld();
    const tools: HostTool[] = [{ name: "first", run: () => ok }];
    const server = makeHost(kind, tools);
    made.wake.attach(server, { wrap: (tool) => (tool.startsWith("late") ? [made.crawlFinished] : undefined) });
    const client = await openClient(kind, server);
    expect((await client.listTools()).tools.map((tool: any) => tool.name)).toEqual(["first", "unsubscribe_events", "list_subscriptions"]);
    const late: HostTool = {
      name: "late_crawl",
      description: "Late",
      run: async () => {
        await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
        return ok;
      },
    };
    if (kind.endsWith("McpServer")) addTool(server, late);
    else tools.push(late);
    const listed = (await client.listTools()).tools;
    expect(listed.map((tool: any) => tool.name)).toEqual(["first", "late_crawl", "unsubscribe_events", "list_subscriptions"]);
    expect(listed[1].description).toMatch(/^Late\. This tool is how the app notifies you of crawl\.finished/);
    expect(Object.keys(listed[1].inputSchema.properties)).toEqual(["session_key", "harness", "conversation_id"]);
    expect((await client.callTool({ name: "late_crawl", arguments: { session_key: "k" } }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    expect(made.log).toEqual([]);
  });

  test("refuses, while it runs, to subscribe to an event the tool doesn't declare (seed-28)", async () => {
    const made = await openWakeWorld();
    const other = made.wake.defineEvent("crawl.failed", {
      description: "A crawl failed",
      args: z.object({ job: z.string() }),
      payload: z.object({}),
    });
    const errors: unknown[] = [];
    const server = makeHost(kind, [
      {
        name: "start_crawl",
        run: async () => {
          errors.push(
            await made.wake
              .currentCall()
              .subscribe(other, { job: "1" })
              .catch((error: unknown) => error),
          );
          errors.push(
            await made.wake
              .currentCall()
              .unsubscribe(other, { job: "1" })
              .catch((error: unknown) => error),
          );
          return ok;
        },
      },
    ]);
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    await (await openClient(kind, server)).callTool({ name: "start_crawl", arguments: {} });
    expect(errors).toEqual([expect.objectContaining({ code: "undeclared_event" }), expect.objectContaining({ code: "undeclared_event" })]);
  });

  test("gives a tool that declares no event a session_key only, and no sentence (seed-132, seed-133, seed-134)", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [{ name: "quiet", description: "Quiet", run: () => ok }]);
    made.wake.attach(server, { wrap: { quiet: [] } });
    const [tool] = (await (await openClient(kind, server)).listTools()).tools;
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["session_key"]);
    expect(tool.description).toBe("Quiet");
  });

  test("refuses a second attach", async () => {
    const made = await openWakeWorld();
    const server = makeHost(kind, [{ name: "a", run: () => ok }]);
    made.wake.attach(server);
    expect(() => made.wake.attach(server)).toThrow(expect.objectContaining({ code: "already_attached" }));
    if (kind.endsWith("McpServer"))
      expect(() => made.wake.attach(server.server)).toThrow(expect.objectContaining({ code: "already_attached" }));
  });
});

test("wraps tools registered by server.tool() with a zod 3 shape (seed-20, seed-21, seed-22)", async () => {
  const made = await openWakeWorld();
  const server = new McpServer1(INFO);
  const seen: any[] = [];
  server.tool("start_crawl", "Crawl a site", { url: z3.string() }, async (args, extra) => {
    seen.push(args);
    await made.wake.currentCall(extra).subscribe(made.crawlFinished, { job: "1" });
    return { content: [{ type: "text", text: "ok" }] };
  });
  made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
  const client = await openClient("1.x McpServer", server);
  expect(
    (await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "k" } }))._meta[SUBSCRIPTION_META_KEY],
  ).toHaveLength(1);
  expect(seen).toEqual([{ url: "u" }]);
});

test("follows a tool that is renamed after it was registered through the attachment (seed-1)", async () => {
  const made = await openWakeWorld();
  const server = new McpServer2(INFO);
  const registered = made.wake.attach(server).registerTool("old", { subscribes: [made.crawlFinished] }, async (_args, _ctx, call) => {
    await call.subscribe(made.crawlFinished, { job: "1" });
    return ok;
  });
  registered.update({ name: "new" });
  const client = await openClient("2.x McpServer", server);
  expect((await client.listTools()).tools[0]).toMatchObject({ name: "new", description: expect.stringContaining("crawl.finished") });
  expect((await client.callTool({ name: "new", arguments: {} }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
});

test("asks the author's list once over many servers, and only where one of our names is among the arguments", async () => {
  const made = await openWakeWorld();
  let asked = 0;
  const served = await serveHandler(() => {
    const server = new Server2(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => {
      asked += 1;
      return { tools: [{ name: "own", inputSchema: { type: "object", properties: { session_key: { type: "string" } } } }] };
    });
    server.setRequestHandler("tools/call", (request) => ({ content: [{ type: "text", text: JSON.stringify(request.params.arguments) }] }));
    made.wake.attach(server);
    return server;
  });
  onTestFinished(() => served.close());
  const call = async (args: object): Promise<string> => {
    const answer = await fetch(served.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "own", arguments: args } }),
    });
    const text = await answer.text();
    return JSON.parse(text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "").slice(6)).result
      .content[0].text;
  };
  expect(await call({ q: 1 })).toBe('{"q":1}');
  expect(asked).toBe(0);
  for (let round = 0; round < 3; round += 1) expect(await call({ session_key: "mine", harness: "h" })).toBe('{"session_key":"mine"}');
  expect(asked).toBe(1);
});

test("appends the built-in tools to the last page of a list that comes in pages", async () => {
  const made = await openWakeWorld();
  const pages: Record<string, any> = {
    first: { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor: "second" },
    second: { tools: [{ name: "list_subscriptions", inputSchema: { type: "object" } }] },
  };
  const server = new Server2(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", (request) => pages[request.params?.cursor ?? "first"]);
  server.setRequestHandler("tools/call", () => ok as never);
  made.wake.attach(server, { wrap: { a: [made.crawlFinished] } });
  const client = await openClient("2.x Server", server);
  // Asked page by page: this client's listTools() would join them.
  const ask = (params: object): Promise<any> => client.request({ method: "tools/list", params });
  const first = await ask({});
  expect(first.tools.map((tool: any) => tool.name)).toEqual(["a"]);
  expect(made.log).toEqual([]);
  const second = await ask({ cursor: "second" });
  expect(second.tools.map((tool: any) => tool.name)).toEqual(["list_subscriptions", "unsubscribe_events"]);
  expect(codes(made)).toEqual(["warn builtin_name_conflict"]);
  expect(await client.callTool({ name: "list_subscriptions", arguments: {} })).toMatchObject(ok);
});

test("leaves calls whose arguments are no object to the host", async () => {
  const made = await openWakeWorld();
  const server = makeHost("2.x Server", [{ name: "a", run: (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }) }]);
  made.wake.attach(server, { wrap: { a: [made.crawlFinished] } });
  const client = await openClient("2.x Server", server);
  for (const args of ["text", [1], 5]) {
    await expect(client.request({ method: "tools/call", params: { name: "a", arguments: args } })).rejects.toMatchObject({ code: -32602 });
  }
  await expect(client.request({ method: "tools/call", params: { name: 5 } })).rejects.toMatchObject({ code: -32602 });
  expect(await client.callTool({ name: "a", arguments: { session_key: 5, harness: null } })).toMatchObject({ content: [{ text: "{}" }] });
});

describe("a handler that awaits nothing of what its refused call answers ends no process", () => {
  const asked: string[] = [];
  const careless = (made: WakeWorld) => (_args: unknown, _context: unknown, call: any) => {
    asked.push("asked");
    void call.subscribe(made.crawlFinished, { job: "1" });
    void call.unsubscribe(made.crawlFinished, { job: "1" });
    return ok as any;
  };

  test.each([
    ["2.x McpServer", McpServer2],
    ["1.x McpServer", McpServer1],
  ] as const)("registered through the attachment of a %s (seed-140)", async (kind, McpServer) => {
    const made = await openWakeWorld();
    const server: any = new (McpServer as any)(INFO);
    const inputSchema: any = z.object({ session_key: z.string() });
    made.wake.attach(server as McpServer2).registerTool("own", { inputSchema, subscribes: [made.crawlFinished] }, careless(made));
    const client = await openClient(kind, server);
    asked.length = 0;
    await client.callTool({ name: "own", arguments: { session_key: "mine" } });
    expect(asked).toHaveLength(1);
  });

  test("defined by tools.tool (seed-140)", async () => {
    const made = await openWakeWorld();
    const options = { description: "Own.", inputSchema: { session_key: z.string() }, subscribes: [made.crawlFinished] };
    const { handler } = attachTools(made.wake).tool("own", options, careless(made));
    asked.length = 0;
    await handler({ session_key: "mine" }, {});
    expect(asked).toHaveLength(1);
  });
});

test.each(Object.entries(NAMED_OTHERWISE))(
  "attachTools leaves a tool unwrapped whose input names an argument of ours by %s, and keeps it for dispatch (seed-139, seed-140, PC-04)",
  async (_way, schema) => {
    const name = nameIn(schema);
    const made = await openWakeWorld();
    const tools = attachTools(made.wake, { wrap: { own: [made.crawlFinished] } });
    const inputSchema = { type: "object", ...schema };
    const catalog = [
      { name: "own", description: "Mine", inputSchema },
      { name: "alone", inputSchema },
    ];
    expect((await tools.list(catalog)).slice(0, 2)).toEqual(catalog);
    for (const tool of ["own", "alone"]) {
      const answer = await tools.call({ name: tool, arguments: { url: "u", [name]: "mine" } }, {}, (params) => ({ content: [], params }));
      expect(answer).toMatchObject({ params: { arguments: { url: "u", [name]: "mine" } } });
    }
    expect(codes(made)).toEqual(["error wrap_arg_conflict"]);
  },
);

describe("attachTools, where a call comes before any list in its process", () => {
  const mine = { name: "own", inputSchema: { type: "object", properties: { session_key: { type: "string" } } } };
  const others = [{ name: "list_subscriptions", inputSchema: { type: "object" } }];
  const echo = (params: any): any => ({ content: [], params });
  const wrapOwn = (made: WakeWorld) => ({ wrap: { own: [made.crawlFinished] } });

  test.each<[string, (cursor: string | undefined) => any]>([
    ["the whole list", () => [...others, mine]],
    ["an answer of tools/list", async () => ({ tools: [mine, ...others] })],
    ["its pages", (cursor) => (cursor === undefined ? { tools: others, nextCursor: "2" } : { tools: [mine] })],
  ])(
    "asks `catalog`, which answers %s: an argument of the tool's own stays, a conflict is told, its own tool is called",
    async (_what, answer) => {
      const made = await openWakeWorld();
      const asked: unknown[] = [];
      const catalog = (context: object, cursor: string | undefined): any => (asked.push(context), answer(cursor));
      const context = { headers: { authorization: "Bearer of the caller" } };
      const tools = attachTools(made.wake, { ...wrapOwn(made), catalog });
      expect(await tools.call({ name: "own", arguments: { q: 1 } }, context, echo)).toMatchObject({ params: { arguments: { q: 1 } } });
      expect(asked).toEqual([]);
      const call = { name: "own", arguments: { session_key: "mine", harness: "h" } };
      for (let time = 0; time < 2; time += 1) {
        expect(await tools.call(call, context, echo)).toMatchObject({ params: { arguments: { session_key: "mine" } } });
      }
      expect(codes(made)).toEqual(["error wrap_arg_conflict"]);
      expect(await tools.call({ name: "list_subscriptions" }, context, () => ok)).toBe(ok);
      expect(new Set(asked)).toEqual(new Set([context]));
      expect(asked.length).toBeLessThanOrEqual(2);
      // Asked first for a name of ours.
      const fresh = attachTools(made.wake, { ...wrapOwn(made), catalog });
      expect(await fresh.call({ name: "list_subscriptions" }, context, () => ok)).toBe(ok);
    },
  );

  test.each<[string, () => any]>([
    [
      "throws",
      () => {
        throw new Error("upstream is away");
      },
    ],
    ["rejects", () => Promise.reject(new Error("upstream is away"))],
    ["never answers", () => new Promise(() => undefined)],
    ["answers no list", () => 5],
    ["answers a list without the tool", () => others],
  ])("a `catalog` that %s fails no call, and ours are taken out as without it", async (_what, catalog) => {
    const made = closedAfterTest(await startWakeWorld(400));
    const tools = attachTools(made.wake, { ...wrapOwn(made), catalog });
    const answer = await tools.call({ name: "own", arguments: { q: 1, session_key: "k" } }, {}, async (params) => {
      await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
      return echo(params);
    });
    expect(answer).toMatchObject({ params: { arguments: { q: 1 } }, _meta: { [SUBSCRIPTION_META_KEY]: [{ event: "crawl.finished" }] } });
  });

  test("refuses a subscribe of a tool that turns out to have such an argument", async () => {
    const made = await openWakeWorld();
    const tools = attachTools(made.wake, { ...wrapOwn(made), catalog: () => [mine] });
    const refused = tools.call({ name: "own", arguments: {} }, {}, () =>
      made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" }),
    );
    await expect(refused).rejects.toMatchObject({ code: "no_call" });
    expect(codes(made)).toEqual(["error wrap_arg_conflict"]);
    expect(made.peer.requests).toEqual([]);
  });
});

test("registers no tool on a low-level server, and attaches to nothing else", async () => {
  const made = await openWakeWorld();
  const server = makeHost("2.x Server", []);
  const attached: any = made.wake.attach(server);
  expect(() => attached.registerTool("a", {}, () => ok)).toThrow(expect.objectContaining({ code: "unsupported" }));
  for (const wrong of [undefined, null, {}, { server: {} }, 5])
    expect(() => made.wake.attach(wrong as any)).toThrow(expect.objectContaining({ code: "bad_request" }));
  expect(() => made.wake.attach({ setRequestHandler: () => undefined, registerCapabilities: () => undefined })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
  expect(() => made.wake.attach(makeHost("2.x Server", []), { wrap: { a: ["crawl.finished" as never] } })).toThrow(
    expect.objectContaining({ code: "bad_request" }),
  );
});
