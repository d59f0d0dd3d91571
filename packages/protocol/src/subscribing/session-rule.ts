import type { CallFacts } from "../app-api.ts";
import { isSecret } from "../secret/secret.ts";

/** Who calls: what a session key is bound to when it is made. The client is asserted, so it only narrows. */
export interface Caller {
  readonly user: string | undefined;
  readonly client: string;
}

/** The caller of a tool call. A blank user is nobody. */
export function callerOf(call: CallFacts): Caller {
  const { user } = call;
  return { user: user === undefined || user.trim() === "" ? undefined : user, client: call.client };
}

/** The session key of a call if it has the form of one. Anything else is treated as none. */
export function sessionKeyOf(call: CallFacts): string | undefined {
  return call.session !== undefined && isSecret("session", call.session) ? call.session : undefined;
}

/** Tells whether a conversation found by its session key may be used by this caller: only by the user and client it was made for. */
export function mayUseConversation<Conversation extends Caller>(
  conversation: Conversation | undefined,
  caller: Caller,
): conversation is Conversation {
  return conversation !== undefined && conversation.user === caller.user && conversation.client === caller.client;
}
