import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client as Client2,
  InMemoryTransport as InMemory2,
  StreamableHTTPClientTransport as HttpClient2,
} from "@modelcontextprotocol/client";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { HostKind } from "./hosts.ts";

/** A client that talks to an author's server, with the whole way between them real. */
export interface Link {
  readonly client: any;
  /** Where the server listens, over HTTP. */
  readonly url?: string;
  close(): Promise<void>;
}

export const CLIENT_NAME = "test-client";

/** Ways to put a server and a client together, by name. Each takes a factory, as a server made per request does. */
export const LINKS = {
  "in-memory, 2.x client": (kind: HostKind, make: () => any) => inMemory(kind, make, 2),
  "in-memory, 1.x client": (kind: HostKind, make: () => any) => inMemory(kind, make, 1),
  "HTTP with sessions": (kind: HostKind, make: () => any) => overHttp(kind, make, true),
  "HTTP, stateless": (kind: HostKind, make: () => any) => overHttp(kind, make, false),
  "createMcpHandler, 2025-11-25": (kind: HostKind, make: () => any) => byHandler(kind, make, "legacy"),
  "createMcpHandler, 2026-07-28": (kind: HostKind, make: () => any) => byHandler(kind, make, "modern"),
} as const;
export type LinkName = keyof typeof LINKS;

/** Whether this way of serving exists for that host. */
export function canLink(kind: HostKind, link: LinkName): boolean {
  return kind.startsWith("2.x") || !link.startsWith("createMcpHandler");
}

export async function inMemory(kind: HostKind, make: () => any, clientLine: 1 | 2, name = CLIENT_NAME): Promise<Link> {
  const server = make();
  const [serverSide, clientSide] = (kind.startsWith("1.x") ? InMemory1 : InMemory2).createLinkedPair();
  const client: any = clientLine === 1 ? new Client1({ name, version: "1.0.0" }) : new Client2({ name, version: "1.0.0" });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, close: () => client.close() };
}

async function overHttp(kind: HostKind, make: () => any, sessions: boolean): Promise<Link> {
  const url = await serve(sessionsOf(kind, make, sessions));
  const client: any = kind.startsWith("1.x")
    ? new Client1({ name: CLIENT_NAME, version: "1.0.0" })
    : new Client2({ name: CLIENT_NAME, version: "1.0.0" });
  await client.connect(new (kind.startsWith("1.x") ? HttpClient1 : HttpClient2)(new URL(url.url)) as any);
  return {
    client,
    url: url.url,
    close: async () => {
      await client.close();
      await url.close();
    },
  };
}

async function byHandler(_kind: HostKind, make: () => any, era: "legacy" | "modern"): Promise<Link> {
  const served = await serveHandler(make);
  const client: any = new Client2(
    { name: CLIENT_NAME, version: "1.0.0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  await client.connect(new HttpClient2(new URL(served.url)));
  return {
    client,
    url: served.url,
    close: async () => {
      await client.close();
      await served.close();
    },
  };
}

/** Serves an author's factory by `createMcpHandler` over real HTTP. */
export function serveHandler(make: () => any): Promise<Served> {
  const handler = toNodeHandler(createMcpHandler(make));
  return serve((request, response) => handler(request as never, response));
}

/** Serves an author's factory over Streamable HTTP: one server a request, or one a session. */
export function serveHttp(kind: HostKind, make: () => any, sessions: boolean): Promise<Served> {
  return serve(sessionsOf(kind, make, sessions));
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Served> {
  const http: Server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => http.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}/mcp`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

function sessionsOf(
  kind: HostKind,
  make: () => any,
  sessions: boolean,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const byId = new Map<string, any>();
  const Transport: any = kind.startsWith("1.x") ? StreamableHTTPServerTransport : NodeStreamableHTTPServerTransport;
  return async (request, response) => {
    const known = byId.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new Transport(
      sessions
        ? { sessionIdGenerator: () => randomUUID(), onsessioninitialized: (id: string) => byId.set(id, transport) }
        : { sessionIdGenerator: undefined },
    );
    const server = make();
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
}
