import { callerOf, mayUseConversation, sessionKeyOf, unknownSession } from "@wakeshift/protocol";
import type { CallFacts } from "@wakeshift/protocol";
import { sha256Hex } from "../../engine/hash.ts";
import type { ConversationRecord, Store } from "../../store/store.ts";

/**
 * The conversation whose session key a call passed. A key that doesn't exist and one that is another caller's are refused alike.
 *
 * @throws WakeshiftError `unknown_session`
 */
export async function conversationOfSession(store: Store, appId: string, call: CallFacts): Promise<ConversationRecord> {
  const sessionKey = sessionKeyOf(call);
  const found = sessionKey === undefined ? undefined : await store.findConversation(appId, sha256Hex(sessionKey));
  if (mayUseConversation(found, callerOf(call))) return found;
  throw unknownSession(call);
}
