import { WakeshiftError } from "@wakeshift/protocol";
import { Hono } from "hono";
import type { CoreServices } from "../core-services.ts";
import { noInput } from "../request/parse-input.ts";
import type { CoreEnv } from "../request/send.ts";
import { appCall } from "./app-call.ts";
import type { AppCall } from "./app-call.ts";
import { appInfo } from "./app.ts";
import { emit, emitInput } from "./emit.ts";
import {
  endInput,
  endMatching,
  endMatchingInput,
  endOne,
  rollback,
  rollbackInput,
  unsubscribe,
  unsubscribeInput,
} from "./end-subscriptions.ts";
import { forgetInput, forgetUser } from "./forget-user.ts";
import { listInput, listSubscriptions } from "./list-subscriptions.ts";
import { manifestInput, putManifest } from "./manifest.ts";
import { subscribe, subscribeInput } from "./subscribe.ts";

/** Calls of the published app API that this core doesn't have. */
const UNSUPPORTED = [
  "/events/subscribe",
  "/events/unsubscribe",
  "/events/poll",
  "/events/publish-urls",
  "/events/publish-urls/:id",
  "/topics/*",
  "/subscriptions/*",
  "/workspaces",
  "/workspaces/*",
] as const;

/** `/api/apps/v1`: what an author's server asks. */
export function appApiRoutes(services: CoreServices): Hono<CoreEnv> {
  const { authenticator } = services;
  const routes = new Hono<CoreEnv>();
  routes.get("/app", appCall(authenticator, noInput, appInfo(services)));
  routes.put("/manifest", appCall(authenticator, manifestInput, putManifest(services)));
  routes.post("/events/emit", appCall(authenticator, emitInput, emit(services)));
  routes.post("/event-subscriptions", appCall(authenticator, subscribeInput, subscribe(services)));
  routes.post("/event-subscriptions/rollback", appCall(authenticator, rollbackInput, rollback(services)));
  routes.post("/event-subscriptions/unsubscribe", appCall(authenticator, unsubscribeInput, unsubscribe(services)));
  routes.post("/event-subscriptions/end", appCall(authenticator, endInput, endOne(services)));
  routes.post("/event-subscriptions/end-matching", appCall(authenticator, endMatchingInput, endMatching(services)));
  routes.post("/event-subscriptions/list", appCall(authenticator, listInput, listSubscriptions(services)));
  routes.post("/users/forget", appCall(authenticator, forgetInput, forgetUser(services)));
  const refuse: AppCall<undefined> = () =>
    Promise.reject(
      new WakeshiftError(
        "unsupported",
        "This core doesn't have this call yet: it serves events through tools (manifest, emit, event-subscriptions).",
      ),
    );
  for (const path of UNSUPPORTED) routes.all(path, appCall(authenticator, noInput, refuse));
  return routes;
}
