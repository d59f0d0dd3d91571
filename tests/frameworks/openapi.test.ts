import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { McpServer, Server as Server2, fromJsonSchema } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { AnyEvent } from "@wakeshift/sdk";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "../system/sdk-support/closed-after-test.ts";
import { startCoreWorld } from "../system/sdk-support/core-world.ts";
import { inMemory } from "../system/sdk-support/links.ts";
import { frameworkModules } from "./support/frameworks.ts";

/** One operation, as the generator describes it. */
interface Operation {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly method: string;
  readonly pathTemplate: string;
  readonly executionParameters: readonly { readonly name: string; readonly in: string }[];
}

/** The tools that openapi-mcp-generator makes of the published Swagger Petstore document. */
async function generate(): Promise<readonly Operation[]> {
  const modules = frameworkModules("openapi-mcp-generator");
  const { getToolsFromOpenApi } = await import(pathToFileURL(join(modules, "openapi-mcp-generator", "dist", "index.js")).href);
  const document: unknown = JSON.parse(await readFile(join(modules, "@readme", "oas-examples", "3.0", "json", "petstore.json"), "utf8"));
  // As it would travel: the generator leaves fields in it that are undefined.
  return JSON.parse(JSON.stringify(await getToolsFromOpenApi(document, { dereference: true })));
}

/** A shop that answers the document's order operations over HTTP. An order may be delivered before its answer is read. */
async function startShop(placed: (order: string) => Promise<unknown>): Promise<string> {
  const shop = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      if (request.method !== "POST" || request.url !== "/store/order") return void response.writeHead(404).end('{"message":"no"}');
      const { petId } = JSON.parse(text);
      if (petId < 0) return void response.writeHead(400).end('{"message":"Invalid Order"}');
      const id = 1_000 + Number(petId);
      await placed(String(id));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id, petId, status: "placed" }));
    })();
  });
  await new Promise<void>((resolve, reject) => shop.once("error", reject).listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    shop.closeAllConnections();
    await new Promise((resolve) => shop.close(resolve));
  });
  return `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}`;
}

/** Runs one generated operation, as a generated client would. */
async function execute(base: string, operation: Operation, args: any): Promise<any> {
  let path = operation.pathTemplate;
  for (const { name, in: place } of operation.executionParameters) {
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(String(args[name])));
  }
  const body = args?.requestBody;
  const answer = await fetch(base + path, {
    method: operation.method.toUpperCase(),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const data = await answer.json();
  const content = [{ type: "text", text: JSON.stringify(data) }];
  return answer.ok ? { content, structuredContent: data } : { content, isError: true };
}

const HOSTS = ["2.x Server", "1.x Server", "2.x McpServer"] as const;

test.each(HOSTS)(
  "a catalog generated from an OpenAPI document subscribes in its one dispatcher, on a %s (seed-18, seed-19, seed-22, seed-124, seed-125, seed-127, seed-130, seed-131)",
  async (kind) => {
    const real = closedAfterTest(await startCoreWorld());
    const delivered = real.wake.defineEvent("order.delivered", {
      description: "An order was delivered",
      args: z.object({ order: z.string() }),
      payload: z.object({ by: z.string() }),
    });
    // So fast that it comes before anyone could subscribe to it.
    const base = await startShop((order) => delivered.emit({ order }, { by: "courier" }));
    const operations = await generate();
    expect(operations.length).toBeGreaterThan(15);

    const watched: Readonly<Record<string, { readonly event: typeof delivered; readonly args: (result: any) => { order: string } }>> = {
      placeOrder: { event: delivered, args: (result) => ({ order: String(result.structuredContent?.id) }) },
    };
    const asked = new Set<string>();
    const wrap = (tool: string): readonly AnyEvent[] | undefined => {
      asked.add(tool);
      return watched[tool] === undefined ? undefined : [watched[tool].event];
    };
    async function callGenerated(name: string, run: () => Promise<any>): Promise<any> {
      const result = await run();
      const watch = watched[name];
      if (watch !== undefined && !result.isError)
        await real.wake.currentCall().subscribe(watch.event, watch.args(result), { replay: "10m", once: true });
      return result;
    }
    const seen: any[] = [];
    const answer = (name: string, args: any): Promise<any> => {
      seen.push(args);
      const operation = operations.find((each) => each.name === name);
      if (operation === undefined) throw new Error(`no operation ${name}`);
      return callGenerated(name, () => execute(base, operation, args));
    };

    let server: any;
    let addLate: () => void = () => undefined;
    if (kind === "2.x McpServer") {
      server = new McpServer({ name: "petstore", version: "1.0.0" });
      const add = ({ name, description, inputSchema }: Operation): void =>
        void server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema as never) }, (args: any) =>
          answer(name, args),
        );
      for (const operation of operations.filter(({ name }) => name !== "placeOrder")) add(operation);
      addLate = () => operations.filter(({ name }) => name === "placeOrder").forEach(add);
    } else {
      server = new (kind === "1.x Server" ? Server1 : Server2)({ name: "petstore", version: "1.0.0" }, { capabilities: { tools: {} } });
      const tools = operations.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      server.setRequestHandler(kind === "1.x Server" ? ListToolsRequestSchema : "tools/list", () => ({ tools }));
      server.setRequestHandler(kind === "1.x Server" ? CallToolRequestSchema : "tools/call", (request: any) =>
        answer(request.params.name, request.params.arguments),
      );
    }
    real.wake.attach(server, { wrap });
    const link = closedAfterTest(await inMemory(kind, () => server, kind === "1.x Server" ? 1 : 2));
    const { client } = link;
    await client.listTools();
    addLate();

    const { tools } = await client.listTools();
    const placeOrder = tools.find((tool: any) => tool.name === "placeOrder");
    expect(Object.keys(placeOrder.inputSchema.properties)).toEqual(["requestBody", "session_key", "harness", "conversation_id"]);
    expect(placeOrder.description).toContain("Place an order for a pet. This tool is how the app notifies you of order.delivered");
    const addPet = tools.find((tool: any) => tool.name === "addPet");
    expect(Object.keys(addPet.inputSchema.properties)).not.toContain("session_key");
    expect([...asked]).toEqual(expect.arrayContaining(operations.map(({ name }) => name)));

    const result = await client.callTool({
      name: "placeOrder",
      arguments: { requestBody: { petId: 7 }, session_key: "none", harness: "codex" },
    });
    expect(seen).toEqual([{ requestBody: { petId: 7 } }]);
    expect(result.structuredContent).toMatchObject({ id: 1007, wakeshift: { state: "subscribed", arguments: { order: "1007" } } });
    const [entry] = result._meta[SUBSCRIPTION_META_KEY];
    const { wakes } = await real.next([entry.ticket]);
    expect(wakes).toMatchObject([{ event: "order.delivered", arguments: { order: "1007" }, payload: { by: "courier" } }]);
    if (wakes[0] !== undefined) await real.ack(entry.ticket, wakes[0]);
    expect(await delivered.emit({ order: "1007" }, { by: "again" })).toMatchObject({ matched: 0 });

    const refused = await client.callTool({ name: "placeOrder", arguments: { requestBody: { petId: -1 } } });
    expect(refused).toMatchObject({ isError: true, content: [{ text: '{"message":"Invalid Order"}' }] });
    expect(refused._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    expect(real.log).toEqual([]);
  },
);
