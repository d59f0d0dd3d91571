import { chmodSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { WakeshiftError, redactSecrets } from "@wakeshift/protocol";
import type { z } from "zod";
import type { BridgeHome } from "../home.ts";
import type { StopAnswer } from "../local-api.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { PROXY_HEADER, readProxyHeader } from "../proxy-variables.ts";
import type { Bridge } from "./bridge.ts";
import { endSchema, outcomeSchema, reportSchema, setSchema, takeSchema, trustSchema } from "./local-requests.ts";

const BODY_BYTES = 2_097_152;

export interface LocalAppEvents {
  readonly onStop: () => void;
  /** A fault of the bridge itself. The caller is told no more than that. */
  readonly onFault: (error: unknown) => void;
}

/** The local API's routes. */
export function localApp(bridge: Bridge, events: LocalAppEvents): Hono {
  const app = new Hono();
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES,
      onError: () => refuse(new WakeshiftError("payload_too_large", `A request to the bridge has at most ${BODY_BYTES} bytes.`)),
    }),
  );
  app.use(async (c, next) => {
    const proxies = readProxyHeader(c.req.header(PROXY_HEADER));
    if (proxies !== undefined) bridge.offerProxies(proxies);
    await next();
  });
  app.post("/v1/report", async (c) => c.json(await bridge.report(await readBody(c, reportSchema))));
  app.post("/v1/take", async (c) => c.json(await bridge.take(await readBody(c, takeSchema), c.req.raw.signal)));
  app.post("/v1/outcome", async (c) => c.json(await bridge.outcome(await readBody(c, outcomeSchema))));
  app.get("/v1/status", (c) => c.json(bridge.status()));
  app.get("/v1/subscriptions", (c) => c.json(bridge.subscriptions()));
  app.post("/v1/end", async (c) => c.json(await bridge.end((await readBody(c, endSchema)).id)));
  app.post("/v1/allow", async (c) => c.json(await bridge.allow(await readBody(c, trustSchema))));
  app.post("/v1/deny", async (c) => c.json(await bridge.deny(await readBody(c, trustSchema))));
  app.get("/v1/occurrences/:id", (c) => c.json(bridge.occurrence(c.req.param("id")) as never));
  app.post("/v1/set", async (c) => {
    const { key, value } = await readBody(c, setSchema);
    return c.json(await bridge.set(key, value));
  });
  app.post("/v1/stop", (c) => {
    events.onStop();
    const answer: StopAnswer = { stopping: true };
    return c.json(answer);
  });
  app.notFound((c) => refuse(new WakeshiftError("unsupported", `The bridge has no ${c.req.method} ${c.req.path.slice(0, 80)}.`)));
  app.onError((error) => {
    if (error instanceof WakeshiftError) return refuse(error);
    events.onFault(error);
    return refuse(new WakeshiftError("internal", "The bridge failed at this. Its log (bridge.log in Wakeshift's folder) says where."));
  });
  return app;
}

/** Listens on the socket, which only this user can open. Never on a TCP port. */
export async function listenLocally(app: Hono, home: BridgeHome): Promise<Server> {
  if (home.socketFolder !== undefined) makePrivateFolder(home.socketFolder, false);
  // Whoever calls this holds the bridge's lock: a socket that lies there belongs to a process that has ended.
  if (process.platform !== "win32") rmSync(home.socket, { force: true });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(home.socket, () => {
      server.off("error", reject);
      resolve();
    });
  });
  if (process.platform !== "win32") chmodSync(home.socket, 0o600);
  return server;
}

async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const value: unknown = await c.req.json().catch(() => {
    throw new WakeshiftError("bad_request", "The body is no JSON.");
  });
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WakeshiftError("bad_request", `${issue?.path.join(".") || "The body"}: ${issue?.message ?? "not as it should be"}.`);
}

function refuse(error: WakeshiftError): Response {
  // A caller may have put a ticket where an id belongs.
  return Response.json({ error: { code: error.code, message: redactSecrets(error.message) } }, { status: error.status });
}
