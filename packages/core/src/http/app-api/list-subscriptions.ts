import { WakeshiftError } from "@wakeshift/protocol";
import type { ListAnswer, ListedSubscription, ListRequest } from "@wakeshift/protocol";
import { z } from "zod";
import type { EndFilter, SubscriptionRecord } from "../../engine/store.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";
import { callFacts } from "./call-facts.ts";
import { callersOwn } from "./callers-own.ts";

export const listInput: InputReader<ListRequest> = inputReader(
  z.object({ call: callFacts.exactOptional(), user: z.string().min(1).max(1_024).exactOptional() }),
);

/** `POST /event-subscriptions/list`: what one conversation, or one user, is subscribed to. */
export function listSubscriptions({ store, clock }: CoreServices): AppCall<ListRequest> {
  return async ({ call, user }, key): Promise<ListAnswer> => {
    let filter: EndFilter;
    if (call !== undefined) filter = await callersOwn(store, key.appId, call);
    else if (user !== undefined) filter = { appId: key.appId, user };
    else throw new WakeshiftError("bad_request", "Say in `call` or `user` whose subscriptions to list.");
    return { subscriptions: (await store.listSubscriptions(filter, clock.now())).map(listed) };
  };
}

function listed(record: SubscriptionRecord): ListedSubscription {
  return {
    id: record.id,
    event: record.event,
    arguments: JSON.parse(record.arguments) as Record<string, unknown>,
    destination: "bridge",
    once: record.once,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
  };
}
