import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Served } from "./links.ts";
import { serve } from "./links.ts";

/** One request of a runtime that speaks JSON-RPC over HTTP by itself, without any MCP SDK. */
export interface RpcRequest {
  readonly method: string;
  readonly params: any;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
  /** Sends a notification ahead of the answer. */
  readonly notify: (method: string, params: unknown) => void;
}

/** Thrown where a request is to be answered by HTTP itself. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, headers: Readonly<Record<string, string>>) {
    super(`HTTP ${String(status)}`);
    this.status = status;
    this.headers = headers;
  }
}

const INFO = { name: "hand-rolled", version: "1.0.0" };
const LINES = ["2025-06-18", "2025-11-25", "2026-07-28"];

/** Serves a runtime of the test's own: the handshakes of both eras, and `answer` for everything else. */
export function serveRpc(answer: (request: RpcRequest) => unknown): Promise<Served> {
  return serve((request, response) => handle(request, response, answer));
}

async function handle(incoming: IncomingMessage, response: ServerResponse, answer: (request: RpcRequest) => unknown): Promise<void> {
  if (incoming.method !== "POST") return void response.writeHead(405).end();
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return void response.writeHead(202).end();
  const closed = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) closed.abort();
  });
  const send = (message: object, last: boolean): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    if (last && !response.headersSent) return void response.writeHead(200, { "content-type": "application/json" }).end(body);
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: message\ndata: ${body}\n\n`);
    if (last) response.end();
  };
  const notify = (name: string, sent: unknown): void => send({ method: name, params: sent }, false);
  try {
    const result =
      handshake(method, params) ?? (await answer({ method, params, headers: incoming.headers, signal: closed.signal, notify }));
    send({ id, result }, true);
  } catch (error) {
    if (error instanceof HttpRefusal) return void response.writeHead(error.status, error.headers).end();
    const { code = -32603, message, data } = error as any;
    send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } }, true);
  }
}

function handshake(method: string, params: any): object | undefined {
  const capabilities = { tools: {} };
  if (method === "initialize") return { protocolVersion: params.protocolVersion, capabilities, serverInfo: INFO };
  if (method === "ping") return {};
  if (method !== "server/discover") return undefined;
  return { resultType: "complete", supportedVersions: LINES, capabilities, serverInfo: INFO, ttlMs: 0, cacheScope: "private" };
}

/** What a request sent by hand is answered: HTTP's part and JSON-RPC's. */
export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly result: any;
  readonly error: any;
}

/** Sends one JSON-RPC request over HTTP; what is notified ahead of the answer goes to `notified`. */
export async function sendRpc(
  url: string,
  method: string,
  params: unknown,
  headers: Readonly<Record<string, string>> = {},
  notified: (message: any) => void = () => undefined,
): Promise<RpcAnswer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { status } = answer;
  if (status !== 200) {
    await answer.body?.cancel();
    return { status, headers: answer.headers, result: undefined, error: undefined };
  }
  let last: any;
  for await (const message of messagesOf(answer)) {
    if (message.id === undefined) notified(message);
    else last = message;
  }
  return { status, headers: answer.headers, result: last?.result, error: last?.error };
}

async function* messagesOf(answer: Response): AsyncIterable<any> {
  if (answer.headers.get("content-type")?.includes("text/event-stream") !== true) {
    yield await answer.json();
    return;
  }
  const events = answer.body?.pipeThrough(new TextDecoderStream() as never).pipeThrough(new EventSourceParserStream());
  for await (const event of (events ?? []) as AsyncIterable<{ data: string }>) yield JSON.parse(event.data);
}
