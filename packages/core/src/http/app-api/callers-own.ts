import { callerOf, mayUseConversation, sessionKeyOf, unknownSession, userWithoutSession } from "@wakeshift/protocol";
import type { CallFacts } from "@wakeshift/protocol";
import { sha256Hex } from "../../engine/hash.ts";
import type { EndFilter, Store } from "../../engine/store.ts";

/**
 * What a call may list and end: the subscriptions of the conversation whose session key it passed, or without one those of its
 * signed-in user. A key that doesn't exist and one that is another caller's are refused alike.
 *
 * @throws WakeshiftError `unknown_session`
 */
export async function callersOwn(store: Store, appId: string, call: CallFacts): Promise<EndFilter> {
  const user = userWithoutSession(call);
  if (user !== undefined) return { appId, user };
  const sessionKey = sessionKeyOf(call);
  const found = sessionKey === undefined ? undefined : await store.findConversation(appId, sha256Hex(sessionKey));
  if (mayUseConversation(found, callerOf(call))) return { appId, conversationId: found.id };
  throw unknownSession(call);
}
