import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One stream a bridge opened. */
export interface OpenedStream {
  readonly tickets: readonly string[];
  readonly holder: string;
  readonly response: ServerResponse;
  /** Whether the bridge has closed it. */
  readonly isClosed: () => boolean;
  send(event: string, data: unknown): void;
}

/** A core of a test: real HTTP, and streams that say what the test says. */
export interface ScriptedCore {
  readonly url: string;
  readonly streams: OpenedStream[];
  /** The path of every request, however it was answered. */
  readonly attempts: string[];
  readonly posts: {
    readonly path: string;
    readonly body: {
      readonly tickets?: readonly string[];
      readonly acks?: readonly { readonly occurrence: string; readonly state: string }[];
    };
  }[];
}

export type Script = (stream: OpenedStream, place: number) => void;
/** Answers a request itself; false: it is an ordinary one. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

export async function startScriptedCore(script: Script, answer: Answer = () => false): Promise<ScriptedCore> {
  const streams: OpenedStream[] = [];
  const attempts: string[] = [];
  const posts: ScriptedCore["posts"] = [];
  const server = createServer((request, response) => {
    if (request.url !== "/api/wakes/v1/hello") attempts.push(request.url ?? "");
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      if (request.url === "/api/wakes/v1/hello") {
        // As a core from before cores had ids.
        response
          .writeHead(404, { "content-type": "application/json" })
          .end('{"error":{"code":"bad_request","message":"There is nothing here."}}');
        return;
      }
      if (answer(request, response)) return;
      const body = JSON.parse(text) as { tickets: string[]; holder: string } & ScriptedCore["posts"][number]["body"];
      if (request.url !== "/api/wakes/v1/stream") {
        posts.push({ path: request.url ?? "", body });
        response.setHeader("content-type", "application/json").end("{}");
        return;
      }
      let closed = false;
      response.on("close", () => (closed = true));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (event: string, data: unknown): void => void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      const stream: OpenedStream = { ...body, response, isClosed: () => closed, send };
      streams.push(stream);
      script(stream, streams.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, streams, attempts, posts };
}

/** Waits until it holds. */
export async function until(what: string, look: () => boolean, timeoutMs = 45_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
