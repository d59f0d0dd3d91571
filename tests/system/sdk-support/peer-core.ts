import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SUBSCRIPTION_META_KEY, formatSecret, formatSubscriptionId } from "@wakeshift/protocol";

/** One request the peer got. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: Record<string, any>;
}

/** Answers a request itself, or leaves it to the peer's own answer by returning nothing. */
export type Interceptor = (request: PeerRequest, response: ServerResponse) => void | boolean | Promise<void | boolean>;

/** A small core that answers the app API's shapes and keeps what it was sent: for what a real core can't be made to do. */
export interface PeerCore {
  readonly url: string;
  readonly requests: PeerRequest[];
  /** Set to answer otherwise: HTML, slowly, not at all. Returning true means it has answered. */
  intercept: Interceptor | undefined;
  to(path: string): PeerRequest[];
  close(): Promise<void>;
}

export async function startPeerCore(port = 0): Promise<PeerCore> {
  const requests: PeerRequest[] = [];
  const live = new Map<string, { id: string; session: string }>();
  const server = createServer((request, response) => void handle(request, response));
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of incoming) text += String(chunk);
    const request: PeerRequest = {
      method: incoming.method ?? "",
      path: (incoming.url ?? "").replace("/api/apps/v1", ""),
      authorization: incoming.headers.authorization ?? "",
      body: text === "" ? {} : JSON.parse(text),
    };
    requests.push(request);
    if ((await peer.intercept?.(request, response)) === true) return;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer(request)));
  }
  function answer({ path, body }: PeerRequest): object {
    switch (path) {
      case "/manifest":
        return { events: body["events"].length, changed: true, closed: [] };
      case "/events/emit":
        return { id: body["id"] ?? "evt_1", matched: live.size, duplicate: false };
      case "/event-subscriptions":
        return subscribe(body);
      case "/event-subscriptions/list":
        return { subscriptions: [] };
      default:
        return { ended: 1 };
    }
  }
  function subscribe(body: Record<string, any>): object {
    const session = body["call"].session ?? formatSecret("session", randomBytes(64));
    const key = JSON.stringify([session, body["name"], body["arguments"]]);
    const before = live.get(key);
    const subscription = before ?? { id: formatSubscriptionId(randomBytes(16)), session };
    live.set(key, subscription);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const once = body["once"] === true;
    const entry = {
      v: 1,
      core: peer.url,
      ticket: formatSecret("ticket", randomBytes(64)),
      id: subscription.id,
      event: body["name"],
      arguments: body["arguments"],
      once,
      expiresAt,
      tool: body["call"].tool,
      app: { id: "app_1", name: "peer" },
    };
    return {
      state: "subscribed",
      event_subscription: { id: subscription.id, created: before === undefined, expires_at: expiresAt, once },
      session,
      agent: {},
      addition: {
        text: `Subscribed to ${body["name"]} ${JSON.stringify(body["arguments"])}. session_key: ${session}`,
        structured: {
          state: "subscribed",
          id: subscription.id,
          event: body["name"],
          arguments: body["arguments"],
          once,
          expiresAt,
          session_key: session,
        },
        meta: { [SUBSCRIPTION_META_KEY]: [entry] },
      },
    };
  }
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const peer: PeerCore = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    intercept: undefined,
    to: (path) => requests.filter((request) => request.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return peer;
}
