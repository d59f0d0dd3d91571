import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { createApp, startCore } from "@wakeshift/core";
import type { RunningCore } from "@wakeshift/core";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { AttachOptions, LogEntry } from "@wakeshift/sdk";
import { z } from "zod";
import type { HostKind } from "./hosts.ts";
import { makeHost } from "./hosts.ts";
import { serve } from "./links.ts";

/** One client's way to the author's server: what it sends with each request can be changed at any time. */
export interface Caller {
  readonly client: Client;
  headers: Record<string, string>;
  call(name: string, args?: object, meta?: object): Promise<any>;
}

/** An author's server that verifies bearer tokens, over HTTP with sessions, on a core whose traffic is written down. */
export interface SignedInWorld {
  readonly core: RunningCore;
  readonly wake: Wakeshift;
  /** User by token. */
  readonly tokens: Map<string, string>;
  readonly url: string;
  readonly log: LogEntry[];
  /** All that went to the core and back. */
  readonly traffic: string[];
  readonly coreLog: string[];
  readonly events: ReturnType<typeof defineEvents>;
  /** What `authorize` was asked. */
  readonly asked: any[];
  connect(headers?: Record<string, string>, name?: string): Promise<Caller>;
  /** One look at what a ticket has to give. */
  next(ticket: string, waitMs?: number): Promise<any>;
  /** Everything the core has on its disk. */
  onDisk(): string;
  close(): Promise<void>;
}

function defineEvents(wake: Wakeshift, asked: any[]) {
  const payload = z.object({ status: z.string() });
  return {
    job: wake.defineEvent("job.done", { description: "A job is done", args: z.object({ job: z.string() }), payload }),
    news: wake.defineEvent("news.posted", { description: "News", args: z.object({ topic: z.string() }), payload, public: true }),
    turn: wake.defineEvent("game.turn", {
      description: "Your move",
      args: z.object({ table: z.string() }),
      payload,
      personal: true,
    }),
    team: wake.defineEvent("team.changed", {
      description: "A team's project changed",
      args: z.object({ team: z.string(), branch: z.string().optional() }),
      payload: z.object({ status: z.string(), branch: z.string().optional() }),
      authorize: async (subscriber, { team }) => {
        asked.push(subscriber);
        return subscriber.user !== undefined && (await isMember(subscriber.user, team));
      },
    }),
  };
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = { ada: ["red"], ann: ["red"], bob: ["blue"] };

async function isMember(user: string, team: string): Promise<boolean> {
  return Promise.resolve((MEMBERS[user] ?? []).includes(team));
}

/** Reads the user of the token that the server verified. */
export const identifyByToken = (context: any): { user: string } | undefined => {
  const info = context.http?.authInfo ?? context.authInfo;
  return info === undefined ? undefined : { user: info.extra.user };
};

export async function startSignedInWorld(kind: HostKind, options: Partial<AttachOptions<any>> = {}): Promise<SignedInWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), "sdk-signed-in-"));
  const [log, traffic, coreLog, asked, tokens]: [LogEntry[], string[], string[], any[], Map<string, string>] = [[], [], [], [], new Map()];
  const relay = await startRelay(traffic);
  const core = await startCore({
    port: 0,
    dataDir,
    publicUrl: relay.url,
    logLevel: "debug",
    logDestination: { write: (line) => coreLog.push(line) },
  });
  relay.target.url = core.url;
  const { key } = await createApp({ store: core.store, now: Date.now, randomBytes }, "orders");
  const wake = new Wakeshift({ key: key.key, core: relay.url, logger: (entry) => log.push(entry) });
  const events = defineEvents(wake, asked);
  const served = await serve(listener(kind, tokens, () => makeServer(kind, wake, events, options)));
  const holder = randomBytes(32).toString("base64url");
  const clients: Client[] = [];
  return {
    core,
    wake,
    tokens,
    url: served.url,
    log,
    traffic,
    coreLog,
    events,
    asked,
    async connect(headers = {}, name = "test-client") {
      const client = new Client({ name, version: "1.0.0" });
      const caller: Caller = {
        client,
        headers,
        call: (tool, args = {}, meta) =>
          client.callTool({ name: tool, arguments: { ...args }, ...(meta === undefined ? {} : { _meta: { ...meta } }) }) as Promise<any>,
      };
      const send = (url: string | URL, init?: RequestInit): Promise<Response> => {
        const all = new Headers(init?.headers);
        for (const [header, value] of Object.entries(caller.headers)) all.set(header, value);
        return fetch(url, { ...init, headers: all });
      };
      await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { fetch: send }));
      clients.push(client);
      return caller;
    },
    async next(ticket, waitMs = 0) {
      const answer = await fetch(`${core.url}/api/wakes/v1/next`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ holder, tickets: [ticket], wait_ms: waitMs }),
      });
      return answer.json();
    },
    onDisk: () =>
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
        .join("\n"),
    async close() {
      for (const client of clients) await client.close().catch(() => undefined);
      await served.close();
      await core.close();
      await relay.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function makeServer(kind: HostKind, wake: Wakeshift, events: ReturnType<typeof defineEvents>, options: Partial<AttachOptions<any>>): any {
  const byName: Record<string, any> = Object.fromEntries(Object.values(events).map((event) => [event.name, event]));
  const server = makeHost(kind, [
    {
      name: "watch",
      input: z.object({
        event: z.string(),
        args: z.record(z.string(), z.string()),
        end: z.boolean().optional(),
        fail: z.boolean().optional(),
      }),
      run: async ({ event, args, end = false, fail = false }: any) => {
        const call: any = wake.currentCall();
        const chosen = byName[event];
        const done = end
          ? { ended: await call.unsubscribe(chosen, args) }
          : await call.subscribe(chosen, args, { context: { from: "watch" } }).then(
              ({ state, id, reason }: any) => ({ state, id, reason }),
              (error: any) => ({ code: error.code }),
            );
        return { content: [{ type: "text", text: JSON.stringify(done) }], ...(fail ? { isError: true } : {}) };
      },
    },
  ]);
  wake.attach(server, { identify: identifyByToken, wrap: { watch: Object.values(events) }, ...options });
  return server;
}

function listener(kind: HostKind, tokens: ReadonlyMap<string, string>, make: () => any) {
  const sessions = new Map<string, any>();
  const Transport: any = kind.startsWith("1.x") ? StreamableHTTPServerTransport : NodeStreamableHTTPServerTransport;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const user = tokens.get(token);
    // Nobody is turned away here: what a caller without a good token may do is what is to be shown.
    if (user !== undefined) (request as any).auth = { token, clientId: "client", scopes: [], extra: { user } };
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new Transport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id: string) => sessions.set(id, transport),
    });
    await make().connect(transport);
    await transport.handleRequest(request, response);
  };
}

/** Stands between the SDK and the core, and writes everything down. */
async function startRelay(traffic: string[]): Promise<{ url: string; target: { url: string }; close(): Promise<void> }> {
  const target = { url: "" };
  const server = createServer((request, response) => void pass(request, response));
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name)),
    );
    traffic.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    try {
      const answer = await fetch(target.url + String(request.url), {
        method: String(request.method),
        headers: headers as Record<string, string>,
        ...(body === "" ? {} : { body }),
      });
      const text = await answer.text();
      traffic.push(`${String(answer.status)} ${text}`);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    } catch {
      response.destroy();
    }
  }
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    target,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a result carries for the agent and its program. */
export function subscribedBy(result: any): { id: string; ticket: string; session: string } {
  const [entry] = result._meta?.[SUBSCRIPTION_META_KEY] ?? [];
  if (entry === undefined) throw new Error(`nothing was subscribed: ${JSON.stringify(result).slice(0, 500)}`);
  return { id: entry.id, ticket: entry.ticket, session: /wsk_\w{32}/.exec(JSON.stringify(result.content))?.[0] ?? "" };
}
