import { argumentsText, WakeshiftError } from "@wakeshift/protocol";
import type { EndedAnswer, EndMatchingRequest, EndRequest, RollbackRequest, UnsubscribeRequest } from "@wakeshift/protocol";
import { z } from "zod";
import type { EndFilter } from "../../engine/store.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";
import { callersOwn } from "./callers-own.ts";
import { callFacts, eventArguments, eventName } from "./call-facts.ts";

const subscriptionId = z.string().max(128);
const user = z.string().max(1_024);

export const rollbackInput: InputReader<RollbackRequest> = inputReader(z.object({ call_id: z.string().min(1).max(128) }));

/** `POST /event-subscriptions/rollback`: ends what a call made, and closes the call. */
export function rollback({ store, clock }: CoreServices): AppCall<RollbackRequest> {
  return async ({ call_id: callId }, key): Promise<EndedAnswer> => ({ ended: await store.rollbackCall(key.appId, callId, clock.now()) });
}

export const unsubscribeInput: InputReader<UnsubscribeRequest> = inputReader(
  z.object({
    call: callFacts,
    name: eventName.exactOptional(),
    arguments: eventArguments.exactOptional(),
    id: subscriptionId.exactOptional(),
  }),
);

/** `POST /event-subscriptions/unsubscribe`: ends subscriptions of the conversation whose session key the call has, or of its user. */
export function unsubscribe({ store, clock }: CoreServices): AppCall<UnsubscribeRequest> {
  return async ({ call, name, arguments: args, id }, key): Promise<EndedAnswer> => {
    if (name === undefined && id === undefined) throw new WakeshiftError("bad_request", "Say in `id` or `name` which subscription to end.");
    const filter: EndFilter = { ...(await callersOwn(store, key.appId, call)), ...filterOf({ id, event: name, arguments: args }) };
    return { ended: await store.endSubscriptions(filter, "unsubscribed", clock.now()) };
  };
}

export const endInput: InputReader<EndRequest> = inputReader(z.object({ user: user.exactOptional(), id: subscriptionId }));

/** `POST /event-subscriptions/end`: ends one subscription of the app by its id. One that isn't there, or another user's, is none. */
export function endOne({ store, clock }: CoreServices): AppCall<EndRequest> {
  return async (request, key): Promise<EndedAnswer> => {
    const filter: EndFilter = { appId: key.appId, ...filterOf({ id: request.id, user: request.user }) };
    return { ended: await store.endSubscriptions(filter, "ended", clock.now()) };
  };
}

export const endMatchingInput: InputReader<EndMatchingRequest> = inputReader(
  z.object({ event: eventName.exactOptional(), user: user.exactOptional(), arguments: eventArguments.exactOptional() }),
);

/**
 * `POST /event-subscriptions/end-matching`: ends all that match, when someone loses access. `arguments` may be some of a
 * subscription's: one that has further ones, such as a filter, matches too.
 */
export function endMatching({ store, clock }: CoreServices): AppCall<EndMatchingRequest> {
  return async (request, key): Promise<EndedAnswer> => {
    const { event, user: whose, arguments: args } = request;
    // Somebody who loses access to a thing loses it with every filter: these arguments, and any further ones.
    const some = args === undefined || Object.keys(args).length === 0 ? {} : { argumentsIncluding: argumentsText(args) };
    const wanted = { ...filterOf({ event, user: whose }), ...some };
    if (Object.keys(wanted).length === 0)
      throw new WakeshiftError(
        "bad_request",
        "Say in `event`, `user` or `arguments` which subscriptions to end; ending all of an app's is refused.",
      );
    return { ended: await store.endSubscriptions({ appId: key.appId, ...wanted }, "ended", clock.now()) };
  };
}

interface Wanted {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

function filterOf({ id, event, user: whose, arguments: args }: Wanted): Omit<EndFilter, "appId"> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(whose === undefined ? {} : { user: whose }),
    ...(args === undefined ? {} : { arguments: argumentsText(args) }),
  };
}
