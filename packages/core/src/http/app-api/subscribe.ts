import {
  additionOf,
  formatSecret,
  formatSubscriptionId,
  LIMITS,
  mayUseConversation,
  notOpen,
  recognizeCall,
  sessionKeyOf,
  WakeshiftError,
} from "@wakeshift/protocol";
import type { CallFacts, Caller, SubscribeAnswer, SubscribeRequest } from "@wakeshift/protocol";
import { z } from "zod";
import { decideSubscribe } from "../../engine/call/subscribe-decision.ts";
import { sha256Hex } from "../../engine/hash.ts";
import { requestBudget } from "../../engine/schema/judge-checks.ts";
import type { SubscriptionRecord } from "../../engine/store.ts";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";
import { callFacts, eventArguments, eventName } from "./call-facts.ts";

const wholeNumber = z.number().int();

export const subscribeInput: InputReader<SubscribeRequest> = inputReader(
  z.object({
    call: callFacts,
    name: eventName,
    arguments: eventArguments.default({}),
    via: z.enum(["tool", "subscribe_events", "native"]).exactOptional(),
    once: z.boolean().exactOptional(),
    ttl_ms: wholeNumber.exactOptional(),
    replay_ms: wholeNumber.exactOptional(),
    native: z.boolean().exactOptional(),
  }),
);

/** `POST /event-subscriptions`: subscribes the calling conversation, or renews what it is subscribed to. */
export function subscribe(services: CoreServices): AppCall<SubscribeRequest> {
  const { store, clock, events, randomBytes, judge, publicUrl, readers } = services;
  return async (request, key): Promise<SubscribeAnswer> => {
    const { call } = request;
    const fresh = { sessionKey: formatSecret("session", randomBytes(32)), ticket: formatSecret("ticket", randomBytes(32)) };
    const agent = recognizeCall(call);
    const budget = requestBudget();
    const { subscription, sessionKey, via } = await events.decide(key.appId, request.name, async (event) => {
      const faults = await judge.faultsOf(event, { arguments: request.arguments }, budget);
      const now = clock.now();
      const decision = decideSubscribe(request, event, faults.arguments, now);
      const known = await conversationOf(services, key.appId, call, decision.caller);
      const { caller, ...terms } = decision;
      const own = known?.sessionKey ?? fresh.sessionKey;
      const written = await store.subscribe({
        ...terms,
        id: formatSubscriptionId(randomBytes(16)),
        appId: key.appId,
        event: event.name,
        eventDigest: event.digest,
        user: caller.user,
        client: caller.client,
        harness: agent.harness,
        newConversation: { id: `cnv_${Buffer.from(randomBytes(16)).toString("hex")}`, sessionHash: sha256Hex(own) },
        conversationId: known?.id,
        tool: call.tool ?? "",
        callId: call.call_id,
        now,
        ticketHash: sha256Hex(fresh.ticket),
        limit: LIMITS.subscriptionsPerConversation,
        callerLimit: caller.user === undefined ? LIMITS.subscriptionsOfAnonymous : LIMITS.subscriptionsPerUser,
      });
      return written.kind === "event_changed" ? undefined : { subscription: written, sessionKey: own, via: terms.via };
    });
    if (subscription.kind === "call_closed")
      throw new WakeshiftError("no_call", "This tool call was rolled back, so nothing can be subscribed in it any more.");
    if (subscription.kind === "not_open") throw notOpen(request.name, via);
    if (subscription.kind === "limit")
      throw new WakeshiftError(
        "subscription_limit",
        `This conversation has ${LIMITS.subscriptionsPerConversation} live subscriptions of this app, the most there can be; end one first.`,
      );
    if (subscription.kind === "caller_limit")
      throw new WakeshiftError(
        "subscription_limit",
        call.user === undefined
          ? `Callers without a user have ${LIMITS.subscriptionsOfAnonymous} live subscriptions of this app, the most there can be of all of them together. Those that no bridge receives end within a day.`
          : `This user has ${LIMITS.subscriptionsPerUser} live subscriptions of this app, the most there can be; end one first.`,
      );
    const record = subscription.subscription;
    const created = subscription.kind === "created";
    const app = { id: key.appId, name: (await store.findApp(key.appId))?.name ?? key.appId };
    return {
      state: "subscribed",
      event_subscription: { id: record.id, created, expires_at: new Date(record.expiresAt).toISOString(), once: record.once },
      session: sessionKey,
      agent: { ...(agent.harness === undefined ? {} : { harness: agent.harness }), via: agent.by },
      addition: additionFor(record, {
        created,
        core: publicUrl,
        coreId: readers.core.id,
        app,
        program: agent.harness,
        tool: call.tool ?? "",
        ticket: fresh.ticket,
        sessionKey,
      }),
    };
  };
}

/** A session key that isn't this caller's is ignored, and a new one is handed out; it is never adopted. */
async function conversationOf(
  { store }: CoreServices,
  appId: string,
  call: CallFacts,
  caller: Caller,
): Promise<{ readonly id: string; readonly sessionKey: string } | undefined> {
  const sessionKey = sessionKeyOf(call);
  if (sessionKey === undefined) return undefined;
  const conversation = await store.findConversation(appId, sha256Hex(sessionKey));
  return mayUseConversation(conversation, caller) ? { id: conversation.id, sessionKey } : undefined;
}

type FreshFacts = Pick<
  Parameters<typeof additionOf>[0],
  "created" | "core" | "coreId" | "app" | "program" | "tool" | "ticket" | "sessionKey"
>;

function additionFor(record: SubscriptionRecord, fresh: FreshFacts): SubscribeAnswer["addition"] {
  const { id, event, once, expiresAt } = record;
  const args = JSON.parse(record.arguments) as Record<string, unknown>;
  return additionOf({ id, event, once, expiresAt, arguments: args, ...fresh });
}
