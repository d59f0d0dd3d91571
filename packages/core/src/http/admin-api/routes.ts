import { createHash, timingSafeEqual } from "node:crypto";
import { WakeshiftError } from "@wakeshift/protocol";
import { Hono } from "hono";
import { z } from "zod";
import { createApp, createKey } from "../../provision.ts";
import type { CreatedKey } from "../../provision.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import { readBody } from "../request/read-body.ts";
import type { CoreContext, CoreEnv } from "../request/send.ts";
import { sendJson } from "../request/send.ts";

const appInput = inputReader(z.object({ name: z.string() }));
const MAX_CHANGES = 1_000;
const keyInput = inputReader(z.object({ name: z.string().exactOptional() }));

/** `/api/admin/v1`: apps and keys, for the operator. `Authorization: Bearer` and WAKESHIFT_ADMIN_TOKEN. */
export function adminApiRoutes(services: CoreServices): Hono<CoreEnv> {
  const { store, clock, randomBytes, authenticator } = services;
  const parts = { store, now: () => clock.now(), randomBytes };
  const routes = new Hono<CoreEnv>();
  routes.use(async (context, next) => {
    assertOperator(context, services.adminTokenHash);
    await next();
  });
  routes.post("/apps", async (context) => {
    const { app, key } = await createApp(parts, appInput(await readBody(context.env.incoming)).name);
    return sendJson(context, JSON.stringify({ id: app.id, name: app.name, key: keyAnswer(key) }), 201);
  });
  routes.get("/apps", async (context) => sendJson(context, JSON.stringify({ apps: await listApps(services) })));
  routes.post("/apps/:app/keys", async (context) => {
    const input = keyInput(await readBody(context.env.incoming));
    return sendJson(context, JSON.stringify(keyAnswer(await createKey(parts, context.req.param("app"), input.name))), 201);
  });
  routes.get("/apps/:app/access-changes", async (context) => {
    const changes = await listAccessChanges(services, context.req.param("app"));
    return sendJson(context, JSON.stringify({ access_changes: changes }));
  });
  routes.delete("/keys/:key", async (context) => {
    const keyId = context.req.param("key");
    const revoked = await store.revokeKey(keyId, clock.now());
    authenticator.forget(keyId);
    if (!revoked)
      throw new WakeshiftError("bad_request", "There is no such key; `npx wakeshift app list` shows the keys there are.", { status: 404 });
    return sendJson(context, JSON.stringify({ revoked }));
  });
  return routes;
}

function keyAnswer(key: CreatedKey): object {
  return { key_id: key.keyId, name: key.name, key: key.key };
}

async function listApps({ store }: CoreServices): Promise<object[]> {
  const apps = await store.listApps();
  return Promise.all(
    apps.map(async (app) => ({
      id: app.id,
      name: app.name,
      created_at: iso(app.createdAt),
      keys: (await store.listKeys(app.id)).map((key) => ({
        key_id: key.keyId,
        name: key.name,
        created_at: iso(key.createdAt),
        revoked_at: key.revokedAt === undefined ? null : iso(key.revokedAt),
      })),
    })),
  );
}

/** How the access of an app's events changed, the newest first. `null` for an access that no SDK with the access rule declared. */
async function listAccessChanges({ store }: CoreServices, idOrName: string): Promise<object[]> {
  const app = await store.findApp(idOrName);
  if (app === undefined)
    throw new WakeshiftError("bad_request", "There is no such app; `npx wakeshift app list` shows the apps there are.", { status: 404 });
  const changes = await store.listAccessChanges(app.id, MAX_CHANGES);
  return changes.map(({ event, at, before, after, sdk, ended }) => ({
    event,
    at: iso(at),
    before: before ?? null,
    after: after ?? null,
    sdk: sdk ?? null,
    ended,
  }));
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** @throws WakeshiftError `unauthorized`, alike for a wrong token and for a core that has none */
function assertOperator(context: CoreContext, expected: Buffer | undefined): void {
  const [, token] = /^Bearer +(\S{1,4096})$/i.exec(context.env.incoming.headers.authorization ?? "") ?? [];
  const given = createHash("sha256")
    .update(token ?? "")
    .digest();
  if (token === undefined || expected === undefined || !timingSafeEqual(given, expected)) {
    throw new WakeshiftError("unauthorized", "The admin API needs `Authorization: Bearer` and the WAKESHIFT_ADMIN_TOKEN of this core.");
  }
}
