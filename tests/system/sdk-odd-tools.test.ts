import { Server as Server2 } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, CallToolResultSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { INFO } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";
import type { WakeWorld } from "./sdk-support/wake-world.ts";

const KINDS = ["2.x Server", "1.x Server"] as const;

/** A low-level server with these tools as their author lists them; each call of one subscribes, if it is wrapped, and answers this. */
async function serve(kind: (typeof KINDS)[number], made: WakeWorld, tools: readonly object[], wrap: any, answer: object): Promise<any> {
  const server: any = new (kind === "2.x Server" ? Server2 : Server1)(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler(kind === "2.x Server" ? "tools/list" : ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(kind === "2.x Server" ? "tools/call" : CallToolRequestSchema, async (request: any) => {
    if (request.params.name === "go") await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
    return { content: [{ type: "text", text: JSON.stringify(request.params.arguments) }], ...answer };
  });
  made.wake.attach(server, { wrap });
  // A client that doesn't look into output schemas itself: what it gets is what the server sent.
  return closedAfterTest(await inMemory(kind, () => server, kind === "1.x Server" ? 1 : 2)).client;
}

const SELF = { $ref: "#" };
const ODD_INPUTS: Readonly<Record<string, object>> = {
  "a reference whose percent signs stand for nothing": { $ref: "#/$defs/100%" },
  "a reference to nothing": { allOf: [{ $ref: "#/$defs/none" }] },
  "a reference to elsewhere": { $ref: "https://example.com/schema.json" },
  "a hundred branches that are itself": { anyOf: Array.from({ length: 100 }, () => SELF), oneOf: [SELF, SELF] },
  "branches 1,000 levels down": Array.from({ length: 1_000 }).reduce<object>((inner) => ({ type: "object", allOf: [inner] }), {}),
};

const MISSING = { $ref: "#/$defs/missing" };
const ODD_OUTPUTS: Readonly<Record<string, object>> = {
  "a reference to nothing": { properties: { a: MISSING } },
  "a reference to nothing at its root": MISSING,
  "a reference to nothing in a branch": { oneOf: [{ required: ["b"] }, MISSING] },
  "a reference whose percent signs stand for nothing": { properties: { a: { $ref: "#/$defs/100%" } } },
  "a reference to elsewhere": { properties: { a: { $ref: "https://example.com/schema.json" } } },
  "a reference to itself": { $ref: "#" },
  "an id that is no address": { $id: "http://[", properties: { a: MISSING } },
  "one id twice": { $defs: { a: { $id: "https://example.com/a" }, b: { $id: "https://example.com/a", type: "string" } } },
  "a pattern that is none": { properties: { a: { pattern: "(" } } },
  "properties that are none": { properties: { a: 5 } },
};

describe.each(KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test.each(Object.entries(ODD_INPUTS))("lists and calls all tools where one's input schema has %s", async (_what, odd) => {
    const made = await openWakeWorld();
    const tools = [
      { name: "odd", inputSchema: { ...odd, type: "object" } },
      { name: "go", inputSchema: { ...odd, type: "object" } },
      { name: "plain", inputSchema: { type: "object" } },
    ];
    const client = await serve(kind, made, tools, { go: [made.crawlFinished] }, {});
    const listed = (await client.listTools()).tools;
    expect(listed.map((tool: any) => tool.name)).toEqual(["odd", "go", "plain", "unsubscribe_events", "list_subscriptions"]);
    expect(listed[0]).toEqual(tools[0]);
    expect(Object.keys(listed[1].inputSchema.properties)).toEqual(["session_key", "harness", "conversation_id"]);
    for (const name of ["odd", "go", "plain"]) {
      const result = await client.callTool({ name, arguments: { own: 1, session_key: "k" } });
      expect(result.content[0].text).toBe('{"own":1}');
      expect(result._meta?.[SUBSCRIPTION_META_KEY]?.length).toBe(name === "go" ? 1 : undefined);
    }
    expect(made.log).toEqual([]);
  });

  test.each(Object.entries(ODD_OUTPUTS))(
    "a call that succeeded stays one, and stays subscribed, where its output schema has %s",
    async (_what, odd) => {
      const made = await openWakeWorld();
      const tools = [{ name: "go", inputSchema: { type: "object" }, outputSchema: Object.freeze({ ...odd, type: "object" }) }];
      const client = await serve(kind, made, tools, { go: [made.crawlFinished] }, { structuredContent: { a: "x" } });
      // A look at the list would make this client compile the schemas; a raw call tells what the server sends.
      const schema = kind === "1.x Server" ? [CallToolResultSchema] : [];
      const request = { method: "tools/call", params: { name: "go", arguments: { session_key: "k" } } };
      const result = await client.request(request, ...schema);
      expect(result.isError).toBeUndefined();
      expect(result.structuredContent).toMatchObject({ a: "x" });
      expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(made.peer.to("/event-subscriptions/rollback")).toEqual([]);
    },
  );

  test.each([
    [
      "throws",
      () => {
        throw new RangeError("no such tool");
      },
    ],
    ["answers what is no event", () => [{}]],
  ])("a `wrap` function that %s for one tool leaves that one as it is, and is logged once", async (_what, fault) => {
    const made = await openWakeWorld();
    const tools = ["bad", "go"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const client = await serve(kind, made, tools, (tool: string) => (tool === "bad" ? fault() : [made.crawlFinished]), {});
    for (let time = 0; time < 2; time += 1) {
      const listed = (await client.listTools()).tools;
      expect(listed[0]).toEqual(tools[0]);
      expect(listed[1].description).toContain("crawl.finished");
      expect(await client.callTool({ name: "bad", arguments: { own: 1 } })).toEqual({ content: [{ type: "text", text: '{"own":1}' }] });
      expect((await client.callTool({ name: "go", arguments: {} }))._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    }
    expect(made.log).toEqual([expect.objectContaining({ level: "error", code: "amend_failed", tool: "bad" })]);
  });
});
