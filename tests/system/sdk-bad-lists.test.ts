import { Server as Server2 } from "@modelcontextprotocol/server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { INFO } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { startWakeWorld } from "./sdk-support/wake-world.ts";

/** What the author's list handler answers; it may be replaced at any time. */
interface Lister {
  list: (request: any) => unknown;
  asked: number;
}

const plain = (name: string): object => ({ name, inputSchema: { type: "object" } });
/** The same tool once it names an argument of ours as its own. */
const naming = (name: string): object => ({ name, inputSchema: { type: "object", properties: { session_key: { type: "string" } } } });

/** Waits until a later turn of the event loop, a few times. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

describe.each(["1.x Server", "2.x Server"] as const)("an author's list on a %s", (kind: HostKind) => {
  async function setup(list: Lister["list"], timeoutMs = 1_000) {
    const made = closedAfterTest(await startWakeWorld(timeoutMs));
    const lister: Lister = { list, asked: 0 };
    const seen: unknown[] = [];
    const server: any = new (kind === "1.x Server" ? Server1 : Server2)(INFO, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(kind === "1.x Server" ? ListToolsRequestSchema : "tools/list", (request: any) => {
      lister.asked += 1;
      return lister.list(request);
    });
    server.setRequestHandler(kind === "1.x Server" ? CallToolRequestSchema : "tools/call", async ({ params }: any) => {
      seen.push(params.arguments);
      if (params.name === "start_crawl") await made.wake.currentCall().subscribe(made.crawlFinished, { job: "1" });
      return { content: [{ type: "text", text: "ok" }] };
    });
    made.wake.attach(server, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await openClient(kind, server);
    const call = (name: string, args: object = {}): Promise<any> => client.callTool({ name, arguments: { ...args } });
    return { made, lister, seen, server, client, call };
  }

  const subscribed = (result: any): number => (result._meta?.[SUBSCRIPTION_META_KEY] ?? []).length;

  test("that never answers holds neither a wrapped call, nor one with our arguments, nor a built-in tool beyond the timeout, which is waited for once a call", async () => {
    const { lister, seen, call } = await setup(() => new Promise(() => undefined));
    expect(subscribed(await call("start_crawl"))).toBe(1);
    expect(subscribed(await call("start_crawl", { session_key: "k", url: "u" }))).toBe(1);
    await call("plain", { session_key: "k", url: "u" });
    expect((await call("list_subscriptions", {})).content[0].text).toContain("session_key");
    expect(seen).toEqual([{}, { url: "u" }, { url: "u" }]);
    expect(lister.asked).toBe(4);
  });

  test("that answers after the call is over counts for the next one", async () => {
    const late = gate();
    const { lister, seen, call } = await setup(() => late.opened.then(() => ({ tools: [naming("own"), plain("start_crawl")] })));
    expect(subscribed(await call("start_crawl"))).toBe(1);
    late.open();
    await turns();
    await call("own", { session_key: "theirs" });
    expect(seen.at(-1)).toEqual({ session_key: "theirs" });
    expect(lister.asked).toBe(1);
  });

  test.each<[string, () => unknown]>([
    ["throws", () => { throw new Error("no list"); }], // prettier-ignore
    ["rejects", () => Promise.reject(new Error("no list"))],
    ["answers no list", () => ({ tools: "none" })],
  ])("that %s fails no call", async (_what, list) => {
    const { call } = await setup(list);
    expect(subscribed(await call("start_crawl", { session_key: "k" }))).toBe(1);
  });

  test("of endless pages ends at a bound, and what the pages told counts", async () => {
    let page = 0;
    const { lister, seen, call } = await setup(() => ({ tools: [naming(`own_${String(page)}`)], nextCursor: String((page += 1)) }), 20_000);
    expect(subscribed(await call("start_crawl"))).toBe(1);
    expect(lister.asked).toBe(100);
    await call("own_7", { session_key: "theirs" });
    expect(seen.at(-1)).toEqual({ session_key: "theirs" });
  });

  test("of endless slow pages is left alone once the time is over", async () => {
    const third = gate();
    const { lister, call } = await setup(async () => {
      if (lister.asked === 3) await third.opened;
      return { tools: [], nextCursor: "next" };
    });
    expect(subscribed(await call("start_crawl"))).toBe(1);
    third.open();
    await turns();
    expect(lister.asked).toBe(3);
  });

  test("that is under way when the tools change leaves nothing of what they were: asked by a call", async () => {
    const [began, go] = [gate(), gate()];
    const tools = { now: plain("tool") };
    const { lister, seen, server, call } = await setup(async () => {
      const then = tools.now;
      began.open();
      await go.opened;
      return { tools: [then] };
    }, 20_000);
    const calling = call("tool", { session_key: "theirs" });
    await began.opened;
    tools.now = naming("tool");
    await server.sendToolListChanged();
    go.open();
    await calling;
    await call("tool", { session_key: "theirs" });
    expect(seen).toEqual([{ session_key: "theirs" }, { session_key: "theirs" }]);
    expect(lister.asked).toBe(2);
  });

  test("that is under way when the tools change leaves nothing of what they were: asked by the client", async () => {
    const [began, go] = [gate(), gate()];
    const tools = { now: plain("tool") };
    const { seen, server, client, call } = await setup(async () => {
      const then = tools.now;
      began.open();
      await go.opened;
      return { tools: [then, plain("start_crawl")] };
    }, 20_000);
    const listing = client.listTools();
    await began.opened;
    tools.now = naming("tool");
    await server.sendToolListChanged();
    go.open();
    expect((await listing).tools.map((tool: any) => tool.name)).toContain("tool");
    await call("tool", { session_key: "theirs" });
    expect(seen).toEqual([{ session_key: "theirs" }]);
  });

  test("that itself tells of a change each time is believed as it answered", async () => {
    const { lister, seen, server, call } = await setup(async () => {
      await server.sendToolListChanged();
      return { tools: [naming("tool")] };
    }, 20_000);
    await call("tool", { session_key: "theirs" });
    expect(seen).toEqual([{ session_key: "theirs" }]);
    expect(lister.asked).toBe(2);
  });
});
