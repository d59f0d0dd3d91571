import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { CAPTURED } from "./sdk-support/captured-requests.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { sendRpc, serveRpc } from "./sdk-support/json-rpc.ts";

const CLIENT = { name: "codex-mcp-client", version: "1.0.0" };
const CLIENTS = {
  "1.x client": (): any => new Client1(CLIENT),
  "2.x client, 2025-11-25": (): any => new Client2(CLIENT),
  "2.x client, 2026-07-28": (): any => new Client2(CLIENT, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
} as const;

async function connect(which: keyof typeof CLIENTS, url: string): Promise<any> {
  const client = CLIENTS[which]();
  await client.connect(new (which === "1.x client" ? HttpClient1 : HttpClient2)(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

const CATALOG = [
  {
    name: "start_crawl",
    description: "Crawl a site.",
    inputSchema: { type: "object", properties: { url: { type: "string" } }, required: ["url"], additionalProperties: false },
    outputSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false },
  },
  { name: "plain", inputSchema: { type: "object" } },
];

/** A runtime written by hand, with nothing of an MCP SDK in it. */
async function serveRuntime(real: CoreWorld): Promise<{ readonly url: string; readonly dispatched: any[] }> {
  const tools = attachTools(real.wake, { wrap: { start_crawl: [real.crawlFinished] } });
  const dispatched: any[] = [];
  const served = await serveRpc(async ({ method, params, headers, signal }) => {
    const context = { meta: params?._meta, headers, signal };
    if (method === "tools/list") {
      const listed = await tools.list(CATALOG, context);
      return { tools: listed, resultType: "complete", cacheScope: "private", ttlMs: 0 };
    }
    return tools.call(params, context, async ({ name, arguments: args }: any) => {
      dispatched.push({ name, arguments: args });
      if (name === "fails") throw Object.assign(new Error("there is no such tool"), { code: -32602, data: { name } });
      if (name === "plain") return { content: [{ type: "text", text: JSON.stringify(args) }] };
      const job = `job of ${String(args.url)}`;
      await real.wake.currentCall().subscribe(real.crawlFinished, { job }, { once: true });
      return { content: [{ type: "text", text: "started" }], structuredContent: { job } };
    });
  });
  onTestFinished(() => served.close());
  return { url: served.url, dispatched };
}

async function startWorld(): Promise<CoreWorld> {
  return closedAfterTest(await startCoreWorld());
}

describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])("a hand-rolled runtime over HTTP, with the official %s", (which) => {
  test("lists, subscribes, is woken and ends, with strict schemas both ways (seed-81, seed-83, seed-84, seed-85, seed-86, seed-93, seed-94, seed-95)", async () => {
    const real = await startWorld();
    const { url, dispatched } = await serveRuntime(real);
    const client = await connect(which, url);
    const { tools } = await client.listTools();
    expect(tools.map((tool: any) => tool.name)).toEqual(["start_crawl", "plain", "unsubscribe_events", "list_subscriptions"]);
    const started = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "none", harness: "codex" } });
    expect(started.structuredContent).toMatchObject({ job: "job of u", wakeshift: { state: "subscribed" } });
    const [entry] = started._meta[SUBSCRIPTION_META_KEY];
    const session = /wsk_\w{32}/.exec(started.content[1].text)?.[0];
    expect(dispatched).toEqual([{ name: "start_crawl", arguments: { url: "u" } }]);
    const listed = await client.callTool({ name: "list_subscriptions", arguments: { session_key: session } });
    expect(listed.content[0].text).toContain(entry.id);
    await real.crawlFinished.emit({ job: "job of u" }, { status: "done" });
    const { wakes } = await real.next([entry.ticket]);
    expect(wakes).toMatchObject([{ payload: { status: "done" } }]);
    if (wakes[0] !== undefined) await real.ack(entry.ticket, wakes[0]);
    expect(await real.crawlFinished.emit({ job: "job of u" }, { status: "again" })).toMatchObject({ matched: 0 });
    const plain = await client.callTool({ name: "plain", arguments: { session_key: "s", own: 1 } });
    expect(plain.content).toEqual([{ type: "text", text: '{"own":1}' }]);
  });

  test("hands what dispatch throws on as the client's own error (seed-91, seed-92)", async () => {
    const { url } = await serveRuntime(await startWorld());
    const client = await connect(which, url);
    const refused = await client.callTool({ name: "fails", arguments: {} }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: -32602, data: { name: "fails" } });
    expect(refused.message).toContain("there is no such tool");
  });
});

test("an official 2.x client refuses a result without its type, which is why one is added (seed-95)", async () => {
  const served = closedAfterTest(
    await serveRpc(({ method }) => (method === "tools/list" ? { tools: [], resultType: "complete" } : { content: [] })),
  );
  const client = await connect("2.x client, 2026-07-28", served.url);
  await expect(client.callTool({ name: "plain", arguments: {} })).rejects.toThrow(/resultType/);
});

test.each(CAPTURED.map((captured) => ({ captured, program: captured.program })))(
  "$program is recognized on this path as on any other (seed-87, seed-88, seed-117, seed-164)",
  async ({ captured }) => {
    const real = await startWorld();
    const { url } = await serveRuntime(real);
    const { result } = await sendRpc(url, "tools/call", captured.body.params, captured.headers);
    const [app] = await real.core.store.listApps();
    const [stored] = await real.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
    expect(stored?.harness).toBe(captured.harness);
    await real.crawlFinished.emit({ job: "job of https://a" }, { status: "done" });
    expect((await real.next([result._meta[SUBSCRIPTION_META_KEY][0].ticket])).wakes).toHaveLength(1);
    expect(result.resultType).toBe(captured.modern ? "complete" : undefined);
  },
);

test("ends what a call subscribed whose client went away (seed-149)", async () => {
  const real = await startWorld();
  const tools = attachTools(real.wake, { wrap: { start_crawl: [real.crawlFinished] } });
  const away = new AbortController();
  const outcomes: unknown[] = [];
  const served = await serveRpc(({ params, signal }) =>
    tools
      .call(params, { signal }, async () => {
        await real.wake.currentCall().subscribe(real.crawlFinished, { job: "1" });
        away.abort();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return { content: [] };
      })
      .finally(() => outcomes.push("settled")),
  );
  onTestFinished(() => served.close());
  const request = {
    method: "POST",
    body: JSON.stringify({ id: 1, method: "tools/call", params: { name: "start_crawl" } }),
    signal: away.signal,
  };
  await expect(fetch(served.url, request)).rejects.toThrow();
  await expect.poll(() => outcomes, { timeout: 20_000 }).toEqual(["settled"]);
  expect(await real.crawlFinished.emit({ job: "1" }, { status: "x" })).toMatchObject({ matched: 0 });
});
