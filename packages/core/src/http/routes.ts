import { WakeshiftError } from "@wakeshift/protocol";
import { Hono } from "hono";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { adminApiRoutes } from "./admin-api/routes.ts";
import { appApiRoutes } from "./app-api/routes.ts";
import type { CoreServices } from "./core-services.ts";
import { healthz, readyz } from "./health.ts";
import { AskerLeft } from "./request/read-body.ts";
import type { CoreEnv } from "./request/send.ts";
import { writeError } from "./request/answer.ts";
import { wakeApiRoutes } from "./wake-api/routes.ts";

/** Parts of the product this core doesn't have yet. */
const UNSUPPORTED = ["/metrics", "/api/console/*", "/p/*"] as const;

/** All resources of the core. Whatever goes wrong is answered as JSON of one shape. */
export function createRoutes(services: CoreServices): Hono<CoreEnv> {
  const routes = new Hono<CoreEnv>();
  routes.route("/api/apps/v1", appApiRoutes(services));
  routes.route("/api/wakes/v1", wakeApiRoutes(services));
  routes.route("/api/admin/v1", adminApiRoutes(services));
  routes.get("/healthz", healthz());
  routes.get(
    "/readyz",
    readyz(services.store, () => services.clock.monotonic()),
  );
  for (const path of UNSUPPORTED) {
    routes.all(path, () => {
      throw new WakeshiftError("unsupported", "This core doesn't have this part yet.");
    });
  }
  const known = new Map<string, Set<string>>();
  for (const { path, method } of routes.routes) if (method !== "ALL") known.set(path, (known.get(path) ?? new Set()).add(method));
  routes.notFound((context) => {
    const methods = known.get(context.req.path);
    if (methods === undefined)
      throw new WakeshiftError("bad_request", "There is nothing at this path. Check the URL of the core.", { status: 404 });
    const refusal = new WakeshiftError("bad_request", `This path takes ${[...methods].join(", ")} only.`, { status: 405 });
    writeError(context.env.outgoing, refusal, { Allow: [...methods].join(", ") });
    return RESPONSE_ALREADY_SENT;
  });
  routes.onError((error, context) => {
    const { incoming, outgoing } = context.env;
    if (error instanceof AskerLeft) return RESPONSE_ALREADY_SENT;
    if (!WakeshiftError.isInstance(error) || error.status === 500) {
      services.log.error(
        { err: error, request: outgoing.getHeader("X-Request-Id"), path: context.req.path.slice(0, 100) },
        "a request failed",
      );
    }
    // What wasn't read of the body would be taken for the next request.
    writeError(outgoing, error, incoming.complete ? {} : { Connection: "close" });
    return RESPONSE_ALREADY_SENT;
  });
  return routes;
}
