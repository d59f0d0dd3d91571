import type { IncomingHttpHeaders } from "node:http";
import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Server as Server2, createMcpHandler } from "@modelcontextprotocol/server";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { AuthInfo } from "@wakeshift/sdk";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { HttpRefusal, sendRpc, serveRpc } from "./sdk-support/json-rpc.ts";
import { serve } from "./sdk-support/links.ts";
import { CHALLENGE, refuse, startUpstream, tokenOf } from "./sdk-support/upstream.ts";
import type { Upstream } from "./sdk-support/upstream.ts";

interface Proxy {
  readonly real: CoreWorld;
  readonly upstream: Upstream;
  readonly url: string;
  /** What the proxy's own code was given of each call. */
  readonly dispatched: any[];
}

const INFO = { name: "crawler", version: "1.0.0" };
const JOB = "job-of-the-proxy";

async function startBoth(): Promise<Pick<Proxy, "real" | "upstream" | "dispatched">> {
  const real = closedAfterTest(await startCoreWorld());
  const upstream = closedAfterTest(await startUpstream());
  return { real, upstream, dispatched: [] };
}

/** What the proxy's own check of a token found: all users come by one OAuth client. */
function authInfoOf(token: string): AuthInfo {
  return { token, clientId: "https://agent.example/client.json", scopes: [], extra: { sub: `user of ${token}` } };
}

/** What goes on to the upstream: the caller's credential, and what tells the protocol. */
function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ["authorization", "mcp-protocol-version", "mcp-method", "mcp-name"];
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])));
}

/** A gateway of the author's own, in front of a server hosted elsewhere. */
async function startToolsProxy(): Promise<Proxy> {
  const both = await startBoth();
  const { real, upstream, dispatched } = both;
  const tools = attachTools(real.wake, {
    identify: (context) => ({ user: String(context.authInfo?.extra?.["sub"]) }),
    wrap: { start_crawl: [real.crawlFinished] },
  });
  const served = await serveRpc(async ({ method, params, headers, notify }) => {
    const token = tokenOf({ headers });
    const context = { meta: params?._meta, headers, authInfo: authInfoOf(token) };
    const forward = async (sent: unknown): Promise<any> => {
      const answer = await sendRpc(upstream.url, method, sent, forwarded(headers), (message) => notify(message.method, message.params));
      if (answer.status === 401) throw new HttpRefusal(401, { "www-authenticate": answer.headers.get("www-authenticate") ?? "" });
      if (answer.error !== undefined) throw answer.error;
      return answer.result;
    };
    if (method === "tools/list") {
      const listed = await forward(params);
      const page = { cursor: params?.cursor, nextCursor: listed.nextCursor };
      return { ...listed, tools: await tools.list(listed.tools, context, page), cacheScope: "private", ttlMs: 0 };
    }
    return tools.call(params, context, async (stripped: any) => {
      dispatched.push(stripped);
      if (stripped.name !== "start_crawl") return forward(stripped);
      await real.wake.currentCall().subscribe(real.crawlFinished, { job: JOB }, { once: true });
      return forward({ ...stripped, arguments: { ...stripped.arguments, job: JOB } });
    });
  });
  onTestFinished(() => served.close());
  return { ...both, url: served.url };
}

/** A low-level server whose two handlers forward; its own sign-in stands in front of it. */
async function startServerProxy(line: "1.x" | "2.x"): Promise<Proxy> {
  const both = await startBoth();
  const { real, upstream, dispatched } = both;
  async function forward(method: string, params: any, context: any): Promise<any> {
    const headers = { authorization: context.http?.req?.headers.get("authorization") ?? context.requestInfo?.headers.authorization };
    const notify = context.sendNotification ?? context.mcpReq.notify;
    const meta = context.mcpReq?._meta ?? params?._meta;
    const sent = meta === undefined ? params : { ...params, _meta: meta };
    const relayed: Promise<void>[] = [];
    const answer = await sendRpc(upstream.url, method, sent, headers, (message) =>
      relayed.push(notify({ method: message.method, params: message.params })),
    );
    await Promise.all(relayed);
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  }
  function makeServer(): any {
    const server: any = new (line === "1.x" ? Server1 : Server2)(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler(line === "1.x" ? ListToolsRequestSchema : "tools/list", (request: any, context: any) =>
      forward("tools/list", request.params, context),
    );
    server.setRequestHandler(line === "1.x" ? CallToolRequestSchema : "tools/call", async (request: any, context: any) => {
      dispatched.push({ ...request.params, _meta: context.mcpReq?._meta ?? request.params._meta });
      if (request.params.name !== "start_crawl") return forward("tools/call", request.params, context);
      await real.wake.currentCall().subscribe(real.crawlFinished, { job: JOB }, { once: true });
      return forward("tools/call", { ...request.params, arguments: { ...request.params.arguments, job: JOB } }, context);
    });
    real.wake.attach(server, {
      identify: (context: any) => ({ user: (context.http?.authInfo ?? context.authInfo)?.extra.sub }),
      wrap: { start_crawl: [real.crawlFinished] },
    });
    return server;
  }
  const handler = toNodeHandler(createMcpHandler(makeServer));
  const served = await serve(async (request, response) => {
    const token = tokenOf(request);
    if (!upstream.tokens.has(token)) return refuse(response);
    (request as any).auth = authInfoOf(token);
    if (line === "2.x") return handler(request as never, response);
    const transport = new StreamableHTTPServerTransport({});
    await makeServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  onTestFinished(() => served.close());
  return { ...both, url: served.url };
}

const PROXIES = {
  attachTools: startToolsProxy,
  "a low-level Server, 2.x": () => startServerProxy("2.x"),
  "a low-level Server, 1.x": () => startServerProxy("1.x"),
} as const;
type ProxyName = keyof typeof PROXIES;

const CLIENT = { name: "codex-mcp-client", version: "1" };

async function connect(url: string, which: "1.x" | "2.x" | "2.x modern", token = "good"): Promise<any> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client: any =
    which === "1.x"
      ? new Client1(CLIENT)
      : new Client2(CLIENT, which === "2.x modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {});
  await client.connect(new (which === "1.x" ? HttpClient1 : HttpClient2)(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

const ways = (Object.keys(PROXIES) as ProxyName[]).flatMap((name) =>
  (["1.x", "2.x", "2.x modern"] as const)
    .filter((client) => client !== "2.x modern" || !name.endsWith("1.x"))
    .map((client) => ({ name, client })),
);

describe.each(ways)("a proxy by $name, with a $client client", ({ name, client: which }) => {
  test("amends the upstream's list page by page, and keeps its other fields (seed-97, seed-106a)", async () => {
    const { url } = await PROXIES[name]();
    const client = await connect(url, which);
    const first: any = await client.request(
      { method: "tools/list", params: {} },
      ...(which === "1.x" ? [(await import("@modelcontextprotocol/sdk/types.js")).ListToolsResultSchema] : []),
    );
    expect(first.tools).toMatchObject([
      { name: "start_crawl", title: "Start a crawl", annotations: { openWorldHint: true }, _meta: { "vendor/rank": 1 } },
    ]);
    expect(Object.keys(first.tools[0].inputSchema.properties)).toEqual(["url", "job", "session_key", "harness", "conversation_id"]);
    expect(first.nextCursor).toBe("page-2");
    expect(first._meta).toMatchObject({ "vendor/page": 1 });
    const { tools } = await client.listTools({ cursor: "page-2" });
    expect(tools.map((tool: any) => tool.name)).toEqual(["plain", "unsubscribe_events", "list_subscriptions"]);
  });

  test("forwards with a job of its own and the caller's credential, and wakes the conversation (seed-98, seed-99, seed-100, seed-101)", async () => {
    const { url, upstream, real } = await PROXIES[name]();
    const client = await connect(url, which);
    const args = { url: "u", session_key: "none", harness: "codex", conversation_id: "c" };
    const result = await client.callTool({ name: "start_crawl", arguments: args });
    expect(upstream.calls.map(({ params, token }) => [params.arguments, token])).toEqual([[{ url: "u", job: JOB }, "Bearer good"]]);
    expect(result._meta).toMatchObject({
      "v/z": { deep: [1] },
      [SUBSCRIPTION_META_KEY]: [{ tool: "start_crawl", arguments: { job: JOB } }],
    });
    expect(result.content.map((part: any) => part.text)).toEqual([JSON.stringify({ url: "u", job: JOB }), expect.stringContaining("wsk_")]);
    await real.crawlFinished.emit({ job: JOB }, { status: "done" });
    expect((await real.next([result._meta[SUBSCRIPTION_META_KEY][0].ticket])).wakes).toMatchObject([{ payload: { status: "done" } }]);
    const plain = await client.callTool({ name: "plain", arguments: { a: 1, session_key: "s" } });
    expect(plain).toMatchObject({ content: [{ text: '{"a":1}' }], _meta: { "v/z": { deep: [1] } } });
    expect(plain._meta[SUBSCRIPTION_META_KEY]).toBeUndefined();
  });

  test("ends what it subscribed when the upstream throws or answers isError, and hands both on (seed-91, seed-121, seed-122)", async () => {
    const { url, real } = await PROXIES[name]();
    const client = await connect(url, which);
    const broken = await client.callTool({ name: "start_crawl", arguments: { url: "broken" } }).catch((error: unknown) => error);
    expect(broken).toMatchObject({ code: -32050, data: { at: 1 } });
    expect(await real.crawlFinished.emit({ job: JOB }, { status: "x" })).toMatchObject({ matched: 0 });
    const failed = await client.callTool({ name: "start_crawl", arguments: { url: "fails" } });
    expect(failed).toMatchObject({ isError: true, _meta: { "v/z": {} } });
    expect(failed._meta[SUBSCRIPTION_META_KEY]).toBeUndefined();
    expect(await real.crawlFinished.emit({ job: JOB }, { status: "x" })).toMatchObject({ matched: 0 });
  });
});

test("a server that forwards its upstream's list makes it private and uncached, whatever the upstream said (seed-96)", async () => {
  const { url, upstream } = await startServerProxy("2.x");
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list", authorization: "Bearer good" };
  const listOf = async (server: string): Promise<any> => (await sendRpc(server, "tools/list", { _meta: MODERN.meta }, modern)).result;
  expect(await listOf(upstream.url)).toMatchObject({ cacheScope: "public", ttlMs: 60_000 });
  expect(await listOf(url)).toMatchObject({ cacheScope: "private", ttlMs: 0 });
});

const MODERN = {
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "start_crawl" },
  meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};
const EARLIER = { headers: { "mcp-protocol-version": "2025-11-25" }, meta: {} };

describe.each(
  (Object.keys(PROXIES) as ProxyName[]).flatMap((name) =>
    [EARLIER, MODERN]
      .filter((era) => era === EARLIER || !name.endsWith("1.x"))
      .map((era) => ({ name, era, version: era.headers["mcp-protocol-version"] })),
  ),
)("a proxy by $name, protocol $version", ({ name, era }) => {
  test("keeps `_meta` whole both ways, with progress under token 0 (PC-07, seed-101)", async () => {
    const { url, upstream, dispatched } = await PROXIES[name]();
    const own = { progressToken: 0, "x/y": 1 };
    const notified: any[] = [];
    const params = { name: "start_crawl", arguments: { url: "u", session_key: "s" }, _meta: { ...era.meta, ...own } };
    const answer = await sendRpc(url, "tools/call", params, { authorization: "Bearer good", ...era.headers }, (message) =>
      notified.push(message),
    );
    expect(answer.error).toBeUndefined();
    // A server of the MCP SDK has lifted the protocol's own keys out before its author's handler.
    expect(dispatched).toEqual([{ name: "start_crawl", arguments: { url: "u" }, _meta: name === "attachTools" ? params._meta : own }]);
    expect(upstream.calls[0]?.meta).toEqual(own);
    expect(notified.map(({ method, params: { progressToken, progress } }) => [method, progressToken, progress])).toEqual([
      ["notifications/progress", 0, 1],
      ["notifications/progress", 0, 2],
    ]);
    const { "io.modelcontextprotocol/serverInfo": _info, ...meta } = answer.result._meta;
    expect(Object.keys(meta).sort()).toEqual([SUBSCRIPTION_META_KEY, "v/z"]);
    expect(meta["v/z"]).toEqual({ deep: [1] });
    expect(answer.result.resultType).toBe(era === MODERN ? "complete" : undefined);
  });
});

async function storedUsers(real: CoreWorld): Promise<unknown[]> {
  const [app] = await real.core.store.listApps();
  return (await real.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now())).map((stored) => stored.user);
}

test.each(Object.keys(PROXIES) as ProxyName[])(
  "by %s, the subscription belongs to whom identify names by the verified token (seed-80, seed-90, seed-107)",
  async (name) => {
    const { url, real } = await PROXIES[name]();
    const params = { name: "start_crawl", arguments: { url: "u" } };
    await sendRpc(url, "tools/call", params, { authorization: "Bearer good", "mcp-protocol-version": "2025-11-25" });
    expect(await storedUsers(real)).toEqual(["user of good"]);
  },
);

test("an upstream's 401 is the proxy's own, with its challenge, and a client signs in again by it (seed-92)", async () => {
  const { url, upstream, real } = await startToolsProxy();
  const params = { name: "start_crawl", arguments: { url: "u" } };
  const refused = await sendRpc(url, "tools/call", params, { authorization: "Bearer expired" });
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, CHALLENGE]);
  expect(await real.crawlFinished.emit({ job: JOB }, { status: "x" })).toMatchObject({ matched: 0 });

  const challenges: unknown[] = [];
  let token = "expired";
  const authProvider = {
    token: async () => token,
    onUnauthorized: async ({ response }: { response: Response }) => {
      challenges.push(response.headers.get("www-authenticate"));
      token = "good";
    },
  };
  const client = new Client2(CLIENT);
  await client.connect(new HttpClient2(new URL(url), { authProvider }));
  onTestFinished(() => client.close());
  const result: any = await client.callTool({ name: "start_crawl", arguments: { url: "u" } });
  expect(challenges).toEqual([CHALLENGE]);
  expect(upstream.calls).toHaveLength(1);
  expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
});

test.each(["1.x", "2.x"] as const)(
  "in front of a low-level %s server a 401 comes before the MCP handler, whose errors are answers of HTTP 200",
  async (line) => {
    const { url, dispatched } = await startServerProxy(line);
    const refused = await sendRpc(url, "tools/call", { name: "start_crawl", arguments: { url: "u" } }, { authorization: "Bearer expired" });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, CHALLENGE]);
    expect(dispatched).toEqual([]);
    const headers = { authorization: "Bearer good", "mcp-protocol-version": "2025-11-25" };
    const broken = await sendRpc(url, "tools/call", { name: "start_crawl", arguments: { url: "broken" } }, headers);
    expect([broken.status, broken.error.code]).toEqual([200, -32050]);
  },
);

test("an attachTools proxy answers no MCP Events: they go where every other method goes", async () => {
  const { url } = await startToolsProxy();
  const initialized = await sendRpc(url, "initialize", { protocolVersion: "2025-11-25" });
  expect(initialized.result.capabilities).toEqual({ tools: {} });
  const { error } = await sendRpc(url, "events/list", {}, { authorization: "Bearer good", "mcp-protocol-version": "2025-11-25" });
  expect(error.code).toBe(-32601);
});
