import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { McpServer as McpServer2, Server as Server2, fromJsonSchema } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { INFO, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { LINKS, inMemory } from "./sdk-support/links.ts";

type Handlers = { list: () => any; call: (name: string, args: any) => any };

/** A low-level server of either line with these two handlers. */
function lowLevel(kind: "1.x Server" | "2.x Server", handlers: Handlers): any {
  if (kind === "2.x Server") {
    const server = new Server2(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => handlers.list());
    server.setRequestHandler("tools/call", (request) => handlers.call(request.params.name, request.params.arguments));
    return server;
  }
  const server = new Server1(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => handlers.list());
  server.setRequestHandler(CallToolRequestSchema, (request) => handlers.call(request.params.name, request.params.arguments));
  return server;
}

const OURS = { session_key: "k", harness: "codex", conversation_id: "c" };
const AUTHORS = { url: "u", depth: { pages: [1, 2, { deep: null }] } };
const JSON_INPUT = { type: "object", properties: { url: { type: "string" }, depth: { type: "object" } }, required: ["url"] };

/** Each makes a server with the tool `strict`, in one way of saying that no further argument is taken. */
const STRICT: Readonly<Record<string, { readonly kind: HostKind; readonly make: (run: (args: any) => any) => any }>> = {
  "JSON Schema, additionalProperties: false, 2.x": {
    kind: "2.x Server",
    make: (run) =>
      lowLevel("2.x Server", {
        list: () => ({ tools: [{ name: "strict", inputSchema: { ...JSON_INPUT, additionalProperties: false } }] }),
        call: (_name, args) => run(args),
      }),
  },
  "JSON Schema, additionalProperties: false, 1.x": {
    kind: "1.x Server",
    make: (run) =>
      lowLevel("1.x Server", {
        list: () => ({ tools: [{ name: "strict", inputSchema: { ...JSON_INPUT, additionalProperties: false } }] }),
        call: (_name, args) => run(args),
      }),
  },
  "JSON Schema, additionalProperties: false, 2.x McpServer": {
    kind: "2.x McpServer",
    make: (run) => {
      const server: any = new McpServer2(INFO);
      server.registerTool("strict", { inputSchema: fromJsonSchema<any>({ ...JSON_INPUT, additionalProperties: false }) }, run);
      return server;
    },
  },
  "JSON Schema, unevaluatedProperties: false, 2.x": {
    kind: "2.x Server",
    make: (run) =>
      lowLevel("2.x Server", {
        list: () => ({ tools: [{ name: "strict", inputSchema: { ...JSON_INPUT, unevaluatedProperties: false } }] }),
        call: (_name, args) => run(args),
      }),
  },
  "JSON Schema, unevaluatedProperties: false, 1.x": {
    kind: "1.x Server",
    make: (run) =>
      lowLevel("1.x Server", {
        list: () => ({ tools: [{ name: "strict", inputSchema: { ...JSON_INPUT, unevaluatedProperties: false } }] }),
        call: (_name, args) => run(args),
      }),
  },
  "zod 3 raw shape, 1.x": {
    kind: "1.x McpServer",
    make: (run) => {
      const server = new McpServer1(INFO);
      server.tool("strict", { url: z3.string(), depth: z3.any() }, run);
      return server;
    },
  },
  "zod 3 strict object, 1.x": {
    kind: "1.x McpServer",
    make: (run) => {
      const server: any = new McpServer1(INFO);
      server.registerTool("strict", { inputSchema: z3.object({ url: z3.string(), depth: z3.any() }).strict() }, run);
      return server;
    },
  },
  "zod 4 strict object, 2.x": {
    kind: "2.x McpServer",
    make: (run) => {
      const server = new McpServer2(INFO);
      server.registerTool("strict", { inputSchema: z.strictObject({ url: z.string(), depth: z.any() }) }, run);
      return server;
    },
  },
  "zod 4 strict object, 1.x": {
    kind: "1.x McpServer",
    make: (run) => {
      const server: any = new McpServer1(INFO);
      server.registerTool("strict", { inputSchema: z.strictObject({ url: z.string(), depth: z.any() }) }, run);
      return server;
    },
  },
};

describe.each(Object.keys(STRICT))("a strict tool as %s", (name) => {
  const { kind, make } = STRICT[name] ?? { kind: "2.x Server", make: () => undefined };

  async function linked(attach: boolean) {
    const world = await openWakeWorld();
    const seen: any[] = [];
    const link = await inMemory(
      kind,
      () => {
        const server = make((args) => {
          seen.push(args);
          return { content: [{ type: "text", text: "ok" }] };
        });
        if (attach) world.wake.attach(server, { wrap: { strict: [world.crawlFinished] } });
        return server;
      },
      kind.startsWith("1.x") ? 1 : 2,
    );
    onTestFinished(() => link.close());
    return { link, seen };
  }

  test("is listed as strict as before, with ours optional (PC-04)", async () => {
    const bare: any = ((await (await linked(false)).link.client.listTools()).tools as any[])[0].inputSchema;
    const amended: any = ((await (await linked(true)).link.client.listTools()).tools as any[])[0].inputSchema;
    const { session_key: key, harness, conversation_id: conversation, ...properties } = amended.properties;
    expect({ ...amended, properties }).toEqual(bare);
    for (const added of [key, harness, conversation]) expect(added).toEqual({ type: "string", description: expect.any(String) });
  });

  test("gets exactly the author's arguments when ours are sent too (PC-04, seed-138)", async () => {
    const { link, seen } = await linked(true);
    const result = await link.client.callTool({ name: "strict", arguments: { ...AUTHORS, ...OURS } });
    expect(result.isError).not.toBe(true);
    expect(seen).toEqual([AUTHORS]);
  });

  test("treats an unknown argument as it does without Wakeshift (PC-04)", async () => {
    const answers = [];
    for (const attach of [false, true]) {
      const { link, seen } = await linked(attach);
      answers.push([
        await link.client.callTool({ name: "strict", arguments: { ...AUTHORS, foo: 1 } }).catch((error: any) => error.message),
        seen,
      ]);
    }
    expect(answers[1]).toEqual(answers[0]);
  });
});

const CLOSED = { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false };
const OUTPUTS: Readonly<Record<string, { readonly schema: any; readonly takesBlock: boolean }>> = {
  "a closed object": { schema: CLOSED, takesBlock: true },
  "an open object": { schema: { type: "object", properties: { job: { type: "string" } }, required: ["job"] }, takesBlock: true },
  "an object closed by unevaluatedProperties": {
    schema: { type: "object", properties: { job: { type: "string" } }, unevaluatedProperties: false },
    takesBlock: true,
  },
  "an allOf of two closed objects": { schema: { type: "object", allOf: [CLOSED, CLOSED] }, takesBlock: false },
  "a oneOf of closed objects": {
    schema: { type: "object", oneOf: [CLOSED, { ...CLOSED, properties: { job: { type: "number" } } }] },
    takesBlock: false,
  },
  "a root $ref": { schema: { type: "object", $ref: "#/$defs/Out", $defs: { Out: CLOSED } }, takesBlock: false },
  "an object with propertyNames": {
    schema: { type: "object", properties: { job: { type: "string" } }, propertyNames: { enum: ["job"] } },
    takesBlock: false,
  },
  "an object with a pattern our name may match": {
    schema: { type: "object", patternProperties: { "^w": { type: "number" } }, properties: { job: { type: "string" } } },
    takesBlock: false,
  },
};

const PAIRS = [
  ["1.x Server", 1],
  ["1.x Server", 2],
  ["2.x Server", 1],
  ["2.x Server", 2],
] as const;

describe.each(PAIRS)("%s with the official %i.x client", (kind, clientLine) => {
  test.each(Object.entries(OUTPUTS))(
    "no client throws away a result whose output schema is %s (PC-06)",
    async (_name, { schema, takesBlock }) => {
      const world = await openWakeWorld();
      const make = (): any => {
        const server = lowLevel(kind, {
          list: () => ({ tools: [{ name: "out", inputSchema: { type: "object" }, outputSchema: schema }] }),
          call: async (_tool, args) => {
            if (args.does !== "nothing") await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j" });
            if (args.does === "fails") return { content: [{ type: "text", text: "no" }], isError: true };
            return { content: [], structuredContent: { job: "j" } };
          },
        });
        world.wake.attach(server, { wrap: { out: [world.crawlFinished] } });
        return server;
      };
      const link = closedAfterTest(await inMemory(kind, make, clientLine));
      await link.client.listTools();
      const subscribed = await link.client.callTool({ name: "out", arguments: { does: "subscribes" } });
      expect(subscribed._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(subscribed.structuredContent).toEqual(
        takesBlock ? { job: "j", wakeshift: expect.objectContaining({ state: "subscribed" }) } : { job: "j" },
      );
      const plain = await link.client.callTool({ name: "out", arguments: { does: "nothing" } });
      expect(plain.structuredContent).toEqual({ job: "j" });
      expect(plain._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
      const failed = await link.client.callTool({ name: "out", arguments: { does: "fails" } });
      expect(failed).toMatchObject({ isError: true });
      expect(failed.structuredContent).toBeUndefined();
      expect(failed._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    },
  );
});

const VARIANTS = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("job"), job: z.string() }),
  z.object({ kind: z.literal("none") }),
]);
const HOST_OUTPUTS: Readonly<Record<string, { readonly output: z.ZodType; readonly value: object; readonly takesBlock: boolean }>> = {
  "a zod object, which is listed closed": { output: z.object({ job: z.string() }), value: { job: "j" }, takesBlock: true },
  "a zod strict object": { output: z.strictObject({ job: z.string() }), value: { job: "j" }, takesBlock: true },
  "a zod discriminated union of closed objects": { output: VARIANTS, value: { kind: "job", job: "j" }, takesBlock: false },
  "a zod intersection of two objects, which is listed as one": {
    output: z.intersection(z.object({ job: z.string() }), z.object({ pages: z.number() })),
    value: { job: "j", pages: 1 },
    takesBlock: true,
  },
};

describe.each([
  ["1.x McpServer", "in-memory, 1.x client"],
  ["1.x McpServer", "in-memory, 2.x client"],
  ["2.x McpServer", "in-memory, 1.x client"],
  ["2.x McpServer", "in-memory, 2.x client"],
  ["2.x McpServer", "createMcpHandler, 2025-11-25"],
  ["2.x McpServer", "createMcpHandler, 2026-07-28"],
] as const)("%s, %s", (kind, link) => {
  test.each(Object.entries(HOST_OUTPUTS))(
    "no client throws away a result whose output schema is %s (PC-06)",
    async (name, { output, value, takesBlock }) => {
      // 1.x takes an object schema only: it lists a union as an empty object, and then refuses every result itself.
      if (kind === "1.x McpServer" && !(output instanceof z.ZodObject)) return;
      const world = await openWakeWorld();
      const made = await LINKS[link](kind, () => {
        const server = makeHost(kind, [
          {
            name: "out",
            input: z.object({ does: z.string() }),
            output,
            run: async ({ does }) => {
              if (does !== "nothing") await world.wake.currentCall().subscribe(world.crawlFinished, { job: name });
              if (does === "fails") return { content: [{ type: "text", text: "no" }], isError: true };
              return { content: [], structuredContent: value };
            },
          },
        ]);
        world.wake.attach(server, { wrap: { out: [world.crawlFinished] } });
        return server;
      });
      onTestFinished(() => made.close());
      await made.client.listTools();
      const subscribed = await made.client.callTool({ name: "out", arguments: { does: "subscribes" } });
      expect(subscribed.isError).not.toBe(true);
      expect(subscribed._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(subscribed.structuredContent).toEqual(
        takesBlock ? { ...value, wakeshift: expect.objectContaining({ state: "subscribed" }) } : value,
      );
      const plain = await made.client.callTool({ name: "out", arguments: { does: "nothing" } });
      expect(plain.structuredContent).toEqual(value);
      expect(plain._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
      const failed = await made.client.callTool({ name: "out", arguments: { does: "fails" } });
      expect(failed).toMatchObject({ isError: true });
      expect(failed._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
      expect(world.peer.to("/event-subscriptions/rollback")).toHaveLength(1);
    },
  );
});

const ROOTS: Readonly<Record<string, { readonly schema: any; readonly value: unknown }>> = {
  "a list": { schema: { type: "array", items: CLOSED }, value: [{ job: "j" }] },
  "a text": { schema: { type: "string" }, value: "j" },
  "a root $ref without a type": { schema: { $ref: "#/$defs/Out", $defs: { Out: CLOSED } }, value: { job: "j" } },
  "an allOf without a type": { schema: { allOf: [CLOSED, CLOSED] }, value: { job: "j" } },
};

describe.each(["createMcpHandler, 2025-11-25", "createMcpHandler, 2026-07-28", "in-memory, 2.x client"] as const)("%s", (link) => {
  test.each(Object.entries(ROOTS))(
    "a low-level server's output whose root is %s is sent the protocol's way, kept as it is, and keeps its subscription (PC-06)",
    async (_name, { schema, value }) => {
      const world = await openWakeWorld();
      const made = await LINKS[link]("2.x Server", () => {
        const server = new Server2(INFO, { capabilities: { tools: {} } });
        const tool = { name: "out", inputSchema: { type: "object" as const }, outputSchema: schema };
        server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
        server.setRequestHandler("tools/call", async () => {
          await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j" });
          return server.projectCallToolResult({ content: [], structuredContent: value }, schema);
        });
        world.wake.attach(server, { wrap: { out: [world.crawlFinished] } });
        return server;
      });
      onTestFinished(() => made.close());
      await made.client.listTools();
      const result = await made.client.callTool({ name: "out", arguments: {} });
      expect(result.structuredContent).toEqual(link.endsWith("2026-07-28") ? value : { result: value });
      expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(world.peer.to("/event-subscriptions/rollback")).toEqual([]);
    },
  );
});

test("leaves a field wakeshift of the author alone, and still carries the ticket", async () => {
  const world = await openWakeWorld();
  const link = await inMemory(
    "2.x Server",
    () => {
      const server = lowLevel("2.x Server", {
        list: () => ({ tools: [{ name: "out", inputSchema: { type: "object" } }] }),
        call: async () => {
          await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j" });
          return { content: [], structuredContent: { wakeshift: "the author's" } };
        },
      });
      world.wake.attach(server, { wrap: { out: [world.crawlFinished] } });
      return server;
    },
    2,
  );
  onTestFinished(() => link.close());
  const result = await link.client.callTool({ name: "out", arguments: {} });
  expect(result.structuredContent).toEqual({ wakeshift: "the author's" });
  expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
});
