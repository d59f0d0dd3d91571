import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { Server, createMcpHandler } from "@modelcontextprotocol/server";
import { serve } from "./links.ts";

/** A hosted MCP server that knows nothing of Wakeshift, behind its own sign-in, and what it was sent. */
export interface Upstream {
  readonly url: string;
  readonly calls: { readonly params: any; readonly meta: any; readonly token: string }[];
  /** The tokens it takes. */
  readonly tokens: Set<string>;
  close(): Promise<void>;
}

export const CHALLENGE = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';
const START = {
  name: "start_crawl",
  title: "Start a crawl",
  description: "Crawl a site.",
  inputSchema: {
    type: "object",
    properties: { url: { type: "string" }, job: { type: "string" } },
    required: ["url"],
    additionalProperties: false,
  },
  annotations: { openWorldHint: true },
  _meta: { "vendor/rank": 1 },
};

export async function startUpstream(): Promise<Upstream> {
  const calls: Upstream["calls"] = [];
  const tokens = new Set(["good"]);
  const handler = toNodeHandler(createMcpHandler(() => makeServer(calls)));
  const served = await serve((request, response) => {
    if (!tokens.has(tokenOf(request))) return refuse(response);
    return handler(request as never, response);
  });
  return { ...served, calls, tokens };
}

/** The bearer token of a request; empty where there is none. */
export function tokenOf(request: Pick<IncomingMessage, "headers">): string {
  return request.headers.authorization?.replace("Bearer ", "") ?? "";
}

export function refuse(response: ServerResponse): void {
  response.writeHead(401, { "www-authenticate": CHALLENGE }).end();
}

function makeServer(calls: Upstream["calls"]): Server {
  const server = new Server({ name: "upstream", version: "1.0.0" }, {
    capabilities: { tools: {} },
    cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "public" } },
  } as never);
  server.setRequestHandler("tools/list", (request) =>
    request.params?.cursor === undefined
      ? { tools: [START as never], nextCursor: "page-2", _meta: { "vendor/page": 1 } }
      : { tools: [{ name: "plain", inputSchema: { type: "object" } }] },
  );
  server.setRequestHandler("tools/call", async (request, ctx) => {
    const meta = ctx.mcpReq._meta as any;
    calls.push({ params: request.params, meta, token: ctx.http?.req?.headers.get("authorization") ?? "" });
    for (const progress of meta?.progressToken === undefined ? [] : [1, 2]) {
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken: meta.progressToken, progress } });
    }
    const url = request.params.arguments?.["url"];
    if (url === "broken") throw Object.assign(new Error("the upstream is broken"), { code: -32050, data: { at: 1 } });
    return {
      content: [{ type: "text", text: JSON.stringify(request.params.arguments) }],
      isError: url === "fails",
      _meta: { "v/z": { deep: [1] } },
    };
  });
  return server;
}
