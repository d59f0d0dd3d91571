import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, Conversation } from "./script.ts";
import type { ModelReply } from "./model-reply.ts";
import { decide } from "./script.ts";
import { allStrings } from "./plain-text.ts";
import { readResponses, writeResponses } from "./responses-protocol.ts";
import { readChat, writeChat } from "./chat-protocol.ts";
import { readAnthropic, writeAnthropic } from "./anthropic-protocol.ts";
import { waitUntil } from "./wait-until.ts";

/** One request a program made to its model. */
export interface ModelRequest {
  /** `performance.now()` of the moment it had arrived whole. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
  /** Every string of the body, one a line: search wakes here. */
  readonly text: string;
  /** The newest thing the model was told (the user's text or a wake). */
  readonly newest: string;
  /** Whether tools were offered; requests without are for titles and the like. */
  readonly withTools: boolean;
}

/** A model on loopback that follows the script in the newest user text (`script.ts`) and remembers all it was asked. */
export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`; OpenAI's paths stand under `/v1`, Anthropic's too. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** The first request, at or after index `from`, whose text holds `text`; rejects after `timeoutMs`. */
  waitFor(text: string, options?: { readonly timeoutMs?: number; readonly from?: number }): Promise<ModelRequest>;
  /** How often `text` stands in the newest request that holds it: 1 means the model has seen it exactly once. */
  timesSeen(text: string): number;
  /** Lets an answer held by `#hold NAME` go, now or when it comes. */
  release(name: string): void;
  close(): Promise<void>;
}

interface Protocol {
  read(body: Readonly<Record<string, unknown>>): Conversation;
  write(body: Readonly<Record<string, unknown>>, answer: Answer, sequence: number): ModelReply;
}

function protocolOf(path: string): Protocol | undefined {
  if (path.endsWith("/responses")) return { read: readResponses, write: writeResponses };
  if (path.endsWith("/chat/completions")) return { read: readChat, write: writeChat };
  if (path.endsWith("/messages")) return { read: readAnthropic, write: writeAnthropic };
  return undefined;
}

/** Starts the scripted model on a free port. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const gates = new Map<string, { open: Promise<void>; release: () => void }>();
  const gate = (name: string): { open: Promise<void>; release: () => void } => {
    const known = gates.get(name);
    if (known) return known;
    let release = (): void => undefined;
    const open = new Promise<void>((resolve) => (release = resolve));
    const made = { open, release };
    gates.set(name, made);
    return made;
  };
  let sequence = 0;

  const answer = async (
    path: string,
    request: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    response: ServerResponse,
  ): Promise<void> => {
    const protocol = protocolOf(path);
    if (!protocol) return answerOther(path, response);
    const conversation = protocol.read(body);
    requests.push({
      at: performance.now(),
      path,
      headers: request.headers,
      body,
      text: allStrings(body),
      newest: conversation.newest,
      withTools: conversation.toolNames.length > 0,
    });
    const decision = decide(conversation);
    for (const name of decision.holds) await gate(name).open;
    if (decision.sleepMs > 0) await new Promise((resolve) => setTimeout(resolve, decision.sleepMs));
    sequence += 1;
    send(response, protocol.write(body, decision.answer, sequence));
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = (request.url ?? "/").split("?")[0] ?? "/";
      answer(path, request, parseBody(Buffer.concat(chunks)), response).catch((error: unknown) => {
        response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: String(error) } }));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    waitFor: (text, options = {}) =>
      waitUntil(
        `a model request that holds ${JSON.stringify(text)}`,
        () => requests.slice(options.from ?? 0).find((one) => one.text.includes(text)),
        options.timeoutMs,
      ),
    timesSeen: (text) => (requests.findLast((one) => one.withTools && one.text.includes(text))?.text.split(text).length ?? 1) - 1,
    release: (name) => gate(name).release(),
    close: async () => {
      for (const one of gates.values()) one.release();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function parseBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function answerOther(path: string, response: ServerResponse): void {
  const known = path.endsWith("/count_tokens")
    ? { input_tokens: 10 }
    : path.endsWith("/models")
      ? { object: "list", data: [{ id: "fake-model", object: "model", created: 1, owned_by: "fake" }], models: [], has_more: false }
      : undefined;
  response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(known ?? { error: { message: "not here", type: "not_found_error" } }));
}

function send(response: ServerResponse, reply: ModelReply): void {
  if (response.destroyed) return;
  if ("json" in reply) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of reply.events) {
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
