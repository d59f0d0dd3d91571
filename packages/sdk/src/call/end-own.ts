import type { CallFacts, UnsubscribeRequest, Via } from "@wakeshift/protocol";
import { WakeshiftError } from "@wakeshift/protocol";
import type { CheckedArguments } from "../event/checked-arguments.ts";
import type { AppClient } from "../client/app-client.ts";
import type { LogBook } from "../log/log-book.ts";
import type { SubscriptionHooks } from "./subscription-hooks.ts";
import { tellListener } from "./subscription-hooks.ts";

/** By what a subscription is ended, and who is told. */
export interface Ending {
  readonly engine: { readonly client: AppClient; readonly log: LogBook };
  readonly hooks: SubscriptionHooks;
  readonly via: Via;
}

/** Which of its own subscriptions a conversation ends: what all of these fields match, at least one of `id` and `event`. */
export interface OwnSubscriptions {
  /** Subscription id. */
  readonly id?: string | undefined;
  /** The event's name. */
  readonly event?: string | undefined;
  /** Exactly these. */
  readonly args?: CheckedArguments | undefined;
}

/**
 * Ends what the call's session key allows, tells the author's listener, and answers how many ended.
 * @throws WakeshiftError as the app API; a session key nobody knows ends nothing
 */
export async function endOwn(
  { engine, hooks, via }: Ending,
  call: CallFacts,
  { id, event, args }: OwnSubscriptions,
  deadline: number,
): Promise<number> {
  const request: UnsubscribeRequest = {
    call,
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { name: event }),
    ...(args === undefined ? {} : { arguments: args.values }),
  };
  const { ended: answered } = await engine.client.send("POST", "/event-subscriptions/unsubscribe", request, deadline).catch(noneOfUnknown);
  const ended = typeof answered === "number" ? answered : answered === true ? 1 : 0;
  if (ended > 0) {
    const notice = { event, id, args: args?.values, user: call.user, via, tool: call.tool ?? "", client: call.client };
    tellListener(hooks.onUnsubscribe, notice, engine.log, "onUnsubscribe");
  }
  return ended;
}

function noneOfUnknown(error: unknown): { readonly ended: unknown } {
  if (WakeshiftError.isInstance(error) && error.code === "unknown_session") return { ended: 0 };
  throw error;
}
