import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startCoreWorld } from "../system/sdk-support/core-world.ts";
import type { CoreWorld } from "../system/sdk-support/core-world.ts";
import { startXmcpApp } from "./support/xmcp-app.ts";
import type { XmcpApp } from "./support/xmcp-app.ts";

// One application for all tests: building it takes seconds. Each test has jobs of its own.
let real: CoreWorld;
let app: XmcpApp;
beforeAll(async () => {
  real = await startCoreWorld();
  app = await startXmcpApp({ WAKESHIFT_KEY: real.key, WAKESHIFT_CORE: real.core.url });
});
afterAll(async () => {
  await app.close();
  await real.close();
});

const CLIENT = { name: "my-agent", version: "1.0.0" };
const CLIENTS = {
  "1.x client": (): any => new Client1(CLIENT),
  "2.x client, 2025-11-25": (): any => new Client2(CLIENT),
  "2.x client, 2026-07-28": (): any => new Client2(CLIENT, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
} as const;
type Which = keyof typeof CLIENTS;

async function connect(which: Which, headers: Readonly<Record<string, string>> = {}): Promise<any> {
  const client = CLIENTS[which]();
  const Transport: any = which === "1.x client" ? HttpClient1 : HttpClient2;
  await client.connect(new Transport(new URL(app.url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function stored(id: string): Promise<any> {
  const [owner] = await real.core.store.listApps();
  return (await real.core.store.listSubscriptions({ appId: owner?.id ?? "" }, Date.now())).find((each) => each.id === id);
}

const emit = (job: string) => real.crawlFinished.emit({ job }, { status: "done" });

describe.each(Object.keys(CLIENTS) as Which[])("an xmcp application, with the official %s", (which) => {
  const job = (name: string): string => `${which} ${name}`;

  test("lists what its files define: amended tools, the built-in ones, xmcp's own, and no wait tool (seed-109, seed-110, seed-111, seed-114, seed-115, seed-118)", async () => {
    const { tools } = await (await connect(which)).listTools();
    const byName: any = Object.fromEntries(tools.map((tool: any) => [tool.name, tool]));
    expect(Object.keys(byName).sort()).toEqual([
      ...["count_pages", "list_subscriptions", "plain", "start_crawl", "subscribe_events", "unsubscribe_events", "watch_crawl"],
    ]);
    expect(Object.keys(byName.start_crawl.inputSchema.properties)).toEqual(["url", "session_key", "harness", "conversation_id"]);
    expect(byName.start_crawl.inputSchema.required).toEqual(["url"]);
    expect(byName.start_crawl.description).toMatch(/^Crawl a site\. This tool is how the app notifies you of crawl\.finished/);
    expect(byName.start_crawl.annotations).toEqual({ title: "Start a crawl" });
    expect(Object.keys(byName.watch_crawl.inputSchema.properties)).toEqual(["job", "session_key", "harness", "conversation_id"]);
    expect(Object.keys(byName.count_pages.outputSchema.properties)).toEqual(["pages", "wakeshift"]);
    expect(Object.keys(byName.plain.inputSchema.properties)).toEqual(["q"]);
    expect(byName.subscribe_events.inputSchema).toMatchObject({ required: ["event"], properties: { event: { enum: ["site.down"] } } });
  });

  test("subscribes, is woken, lists and ends (seed-112, seed-113, seed-117)", async () => {
    const client = await connect(which, { "user-agent": "claude-code/2.1.0 (external, cli)" });
    const url = job("main");
    const result = await client.callTool({
      name: "start_crawl",
      arguments: { url, session_key: "none", harness: "codex", conversation_id: "c" },
    });
    expect(result.isError).not.toBe(true);
    expect(result.content[0].text).toBe(`crawling with ${JSON.stringify({ args: { url }, found: [true, true], context: "function" })}`);
    const [entry] = result._meta[SUBSCRIPTION_META_KEY];
    expect(entry).toMatchObject({ event: "crawl.finished", arguments: { job: url }, tool: "start_crawl", once: true });
    expect(await stored(entry.id)).toMatchObject({ harness: which.endsWith("2026-07-28") ? "my-agent" : "claude-code" });
    const session = /wsk_\w{32}/.exec(result.content[1].text)?.[0];
    const listed = await client.callTool({ name: "list_subscriptions", arguments: { session_key: session } });
    expect(listed.content[0].text).toContain(entry.id);
    await emit(url);
    const { wakes } = await real.next([entry.ticket]);
    expect(wakes).toMatchObject([{ payload: { status: "done" } }]);
    if (wakes[0] !== undefined) await real.ack(entry.ticket, wakes[0]);
    expect(await emit(url)).toMatchObject({ matched: 0 });

    const watched = await client.callTool({ name: "watch_crawl", arguments: { job: url, session_key: session } });
    expect(watched.content[0].text).toBe("subscribed");
    const ended = await client.callTool({
      name: "unsubscribe_events",
      arguments: { session_key: session, event: "crawl.finished", arguments: { job: url } },
    });
    expect(ended.content[0].text).toBe("Ended 1 subscription.");
    const opened = await client.callTool({ name: "subscribe_events", arguments: { event: "site.down", session_key: session } });
    expect(opened._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ event: "site.down", tool: "subscribe_events" }]);
  });

  test("ends what a call subscribed that throws, or whose output xmcp then refuses (seed-121, seed-148)", async () => {
    const client = await connect(which);
    expect(await client.callTool({ name: "start_crawl", arguments: { url: "broken" } })).toMatchObject({ isError: true });
    expect(await emit("broken")).toMatchObject({ matched: 0 });
    for (const [place, answer] of ['{"pages":"many"}', '{"pages":1,"other":2}', "{}"].entries()) {
      const url = job(`refused ${String(place)}`);
      // A 2.x client has not listed, so it checks nothing itself: what it gets is xmcp's own refusal.
      expect(await client.callTool({ name: "count_pages", arguments: { url, answer } })).toMatchObject({ isError: true });
      expect(await emit(url)).toMatchObject({ matched: 0 });
    }
  });

  test("puts the block into structured content that its shape promises, beside the author's `_meta` (seed-137, seed-156)", async () => {
    const client = await connect(which);
    await client.listTools();
    const url = job("counted");
    const result = await client.callTool({ name: "count_pages", arguments: { url, answer: '{"pages":3}' } });
    expect(result.structuredContent).toMatchObject({ pages: 3, wakeshift: { state: "subscribed", arguments: { job: url } } });
    expect(result.content[0].text).toBe('{"pages":3}');
    expect(result._meta).toMatchObject({ "app/own": 1, [SUBSCRIPTION_META_KEY]: [{ tool: "count_pages" }] });
    expect(await emit(url)).toMatchObject({ matched: 1 });
  });

  test("gives identify the token the app's own sign-in verified (seed-80, seed-90)", async () => {
    const client = await connect(which, { authorization: "Bearer t1" });
    const result = await client.callTool({ name: "start_crawl", arguments: { url: job("signed in") } });
    expect(await stored(result._meta[SUBSCRIPTION_META_KEY][0].id)).toMatchObject({ user: "user of t1" });
  });

  test("keeps calls that run at once apart, and lets no other tool see our arguments (seed-139)", async () => {
    const client = await connect(which);
    const results: any[] = await Promise.all(
      Array.from({ length: 10 }, (_each, place) =>
        client.callTool({ name: "start_crawl", arguments: { url: job(`at once ${String(place)}`) } }),
      ),
    );
    for (const [place, result] of results.entries()) {
      expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: job(`at once ${String(place)}`) } }]);
    }
    const plain = await client.callTool({ name: "plain", arguments: { q: "x", session_key: "k", harness: "h", conversation_id: "c" } });
    expect(plain.content[0].text).toBe('{"q":"x"}');
  });
});

test("types its files as xmcp asks for, by xmcp's own check, and logs nothing", async () => {
  await expect.poll(() => app.output(), { timeout: 50_000 }).toMatch(/type-check.*no errors|no errors found/is);
  expect(app.output()).not.toMatch(/error TS|wakeshift\]|Failed to load|Invalid schema/);
});
