import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import { isOwnRequest } from "../../engine/host-guard.ts";
import type { CoreServices } from "../core-services.ts";
import { tooLarge } from "../request/read-body.ts";
import { createRoutes } from "../routes.ts";
import { writeError } from "../request/answer.ts";

/** @param onAccepted - called before the request is handled, unless it is refused. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse, onAccepted?: () => void) => void;

/**
 * The core's HTTP face. What isn't meant for this core, or is too large, is refused before anything else looks at it.
 *
 * @param requestId - names each request in log and answer.
 */
export function createRequestListener(services: CoreServices, requestId: () => string): RequestListener {
  const routes = createRoutes(services);
  const listener = getRequestListener((request, env) => routes.fetch(request, env), {
    // An embedding program keeps its own Request and Response.
    overrideGlobalObjects: false,
    errorHandler: () => undefined,
  });
  return (request, response, onAccepted) => {
    const id = requestId();
    response.setHeader("X-Request-Id", id);
    response.once("close", () => logRequest(services, request, response, id));
    const refusal = refusalOf(request, services);
    if (refusal !== undefined) return writeError(response, refusal, { Connection: "close" });
    // The handler below makes a URL of it, and never answers what it can't make one of.
    if (isProbe(request)) request.headers.host = "localhost";
    onAccepted?.();
    void listener(request, response);
  };
}

function refusalOf(request: IncomingMessage, services: CoreServices): WakeshiftError | undefined {
  const { host, origin } = request.headers;
  if (!isOwnRequest(services.own, host, origin) && !isProbe(request)) {
    return new WakeshiftError(
      "unauthorized",
      "This core answers under its own addresses only: loopback with its port, or WAKESHIFT_PUBLIC_URL. This request's Host or Origin is another.",
      { status: 403 },
    );
  }
  if (request.url?.startsWith("/") !== true) return new WakeshiftError("bad_request", "The request's target must be a path.");
  if (Number(request.headers["content-length"] ?? 0) > LIMITS.requestBytes) return tooLarge();
  return undefined;
}

/**
 * An orchestrator probes by an address that this core can't know, such as a pod's. No page can read what it is answered: pages of
 * another origin send an `Origin`, or can't see the response.
 */
function isProbe({ method, url, headers }: IncomingMessage): boolean {
  const path = url?.split("?", 1)[0];
  return (method === "GET" || method === "HEAD") && (path === "/healthz" || path === "/readyz") && headers.origin === undefined;
}

/** Never the query, a header or a body: tickets and assertions stand there. */
function logRequest(services: CoreServices, request: IncomingMessage, response: ServerResponse, id: string): void {
  const status = response.headersSent ? response.statusCode : 0;
  const level = status >= 500 ? "warn" : "debug";
  services.log[level]({ request: id, method: request.method, path: request.url?.split("?", 1)[0]?.slice(0, 100), status }, "request");
}
