import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { createParser } from "eventsource-parser";
import type { HostKind } from "./hosts.ts";
import { serve, serveHandler, serveHttp } from "./links.ts";
import type { Served } from "./links.ts";

/** The protocol's versions. */
export const ERAS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];
export const MODERN = "2026-07-28";

/** Ways an author's server is put on a wire. */
export const TRANSPORTS = ["stdio", "serveStdio", "SSE", "HTTP with sessions", "HTTP, stateless", "createMcpHandler"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Why a cell of the matrix doesn't exist; `undefined`: it does. */
export function whyNot(kind: HostKind, transport: TransportName, era: Era): string | undefined {
  const line = kind.slice(0, 3);
  if (line === "1.x" && (transport === "serveStdio" || transport === "createMcpHandler")) return `1.x has no ${transport}`;
  if (line === "2.x" && transport === "SSE") return "2.x has no server for the HTTP+SSE transport of 2024-11-05";
  if (era !== MODERN) return undefined;
  if (line === "1.x") return "1.x knows no protocol after 2025-11-25";
  if (transport === "serveStdio" || transport === "createMcpHandler") return undefined;
  return "2.x serves 2026-07-28 only through createMcpHandler and serveStdio: it has no handshake and no sessions";
}

/** One client's connection, raw: what a program sends is up to the test. */
export interface Wire {
  /** Sends a request and answers its result, or the error as `{ error }`. */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<any>;
  notify(method: string): Promise<void>;
  close(): Promise<void>;
}

export interface WireOptions {
  readonly kind: HostKind;
  readonly era: Era;
  readonly make: () => any;
  /** Of a server that is a process of its own. */
  readonly env: Readonly<Record<string, string>>;
}

export function connect(transport: TransportName, options: WireOptions): Promise<Wire> {
  switch (transport) {
    case "stdio":
    case "serveStdio":
      return overStdio(transport === "stdio" ? "connect" : "serveStdio", options);
    case "SSE":
      return overSse(options);
    case "HTTP with sessions":
    case "HTTP, stateless":
      return overHttp(options, () => serveHttp(options.kind, options.make, transport === "HTTP with sessions"));
    case "createMcpHandler":
      return overHttp(options, () => serveHandler(options.make));
  }
}

const STDIO_HOST = fileURLToPath(new URL("./stdio-host.mjs", import.meta.url));

async function overStdio(serving: string, { kind, env }: WireOptions): Promise<Wire> {
  const [line = "", host = ""] = kind.split(" ");
  const child = spawn(process.execPath, [STDIO_HOST, line, host, serving], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const answers = new Answers(() => `the server ended: ${stderr}`);
  createInterface({ input: child.stdout }).on("line", (text) => answers.got(text));
  void ended.then(() => answers.end());
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    request: (method, params) => answers.wait((id) => send({ id, method, params })),
    notify: async (method) => send({ method }),
    close: async () => {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}

/** The transport of the first version: a stream of events one way, posts the other. */
async function overSse({ make }: WireOptions): Promise<Wire> {
  const transports = new Map<string, SSEServerTransport>();
  const served = await serve(async (request, response) => {
    const session = new URL(request.url ?? "", "http://x").searchParams.get("sessionId");
    if (session !== null) return transports.get(session)?.handlePostMessage(request, response);
    const transport = new SSEServerTransport("/post", response);
    transports.set(transport.sessionId, transport);
    return make().connect(transport);
  });
  const answers = new Answers(() => "the stream ended");
  const stop = new AbortController();
  const stream = await fetch(served.url, { headers: { accept: "text/event-stream" }, signal: stop.signal });
  const endpoint = new Promise<string>((resolve) => {
    const parser = createParser({
      onEvent: ({ event, data }) => (event === "endpoint" ? resolve(new URL(data, served.url).href) : answers.got(data)),
    });
    const decoder = new TextDecoder();
    const read = async (): Promise<void> => {
      for await (const chunk of stream.body as any) parser.feed(decoder.decode(chunk, { stream: true }));
    };
    void read().catch(() => answers.end());
  });
  const url = await endpoint;
  const send = async (message: object): Promise<void> => {
    await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  };
  return {
    request: (method, params) => answers.wait((id) => void send({ id, method, params })),
    notify: (method) => send({ method }),
    close: async () => {
      stop.abort();
      await served.close();
    },
  };
}

async function overHttp({ era }: WireOptions, start: () => Promise<Served>): Promise<Wire> {
  const served = await start();
  let session: string | undefined;
  let next = 0;
  let begun = false;
  const post = async (message: { readonly method: string; readonly params?: any }): Promise<Response> => {
    const name: unknown = message.params?.name;
    const response = await fetch(served.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(begun || era === MODERN ? { "mcp-protocol-version": era } : {}),
        ...(session === undefined ? {} : { "mcp-session-id": session }),
        ...(era === MODERN ? { "mcp-method": message.method, ...(typeof name === "string" ? { "mcp-name": name } : {}) } : {}),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    begun = true;
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    return response;
  };
  return {
    request: async (method, params) => {
      const text = await (await post({ ...{ id: ++next }, method, params })).text();
      const json = text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "data: {}").slice(6);
      return resultOf(JSON.parse(json));
    },
    notify: async (method) => void (await (await post({ method })).text()),
    close: () => served.close(),
  };
}

function resultOf(message: any): any {
  return message.error === undefined ? message.result : { error: message.error };
}

/** Brings answers that come one after the other on one stream to who waits for each. */
class Answers {
  readonly #waiting: Map<number, { readonly resolve: (result: any) => void; readonly reject: (error: Error) => void }> = new Map();
  readonly #why: () => string;
  #next = 0;

  constructor(why: () => string) {
    this.#why = why;
  }

  wait(send: (id: number) => void): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#next += 1;
      this.#waiting.set(this.#next, { resolve, reject });
      send(this.#next);
    });
  }

  got(text: string): void {
    const message = JSON.parse(text);
    this.#waiting.get(message.id)?.resolve(resultOf(message));
    this.#waiting.delete(message.id);
  }

  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(this.#why()));
  }
}
