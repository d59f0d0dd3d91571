import { recognizeCall } from "../agent/recognize.ts";
import type { CallFacts } from "../app-api.ts";
import { WakeshiftError } from "../errors.ts";
import { isSecret } from "../secret/secret.ts";

/** Who calls: what a session key is bound to when it is made. The client is asserted, so it only narrows. */
export interface Caller {
  readonly user: string | undefined;
  /** What the client calls itself. If its requests don't say, the program they are recognized by, else "". */
  readonly client: string;
}

/** The caller of a tool call. A blank user is nobody. */
export function callerOf(call: CallFacts): Caller {
  const { user } = call;
  return { user: user === undefined || user.trim() === "" ? undefined : user, client: clientOf(call) };
}

/** A model passes `harness` to one tool and not to the next, so it tells no two programs apart here. */
function clientOf(call: CallFacts): string {
  const { harness: _harness, ...facts } = call;
  return call.client === "" ? (recognizeCall(facts).harness ?? "") : call.client;
}

/**
 * The signed-in user as whom a call without a session key may list and end: what is theirs, in all of their conversations. A call
 * with a session key, good or not, is its conversation's.
 */
export function userWithoutSession(call: CallFacts): string | undefined {
  return call.session === undefined ? callerOf(call).user : undefined;
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

/** What a call is refused with whose session key opens no conversation of its caller. */
export function unknownSession(call: CallFacts): WakeshiftError {
  const what =
    call.session === undefined
      ? "This call passed no session key, so its conversation isn't known."
      : "No conversation of this caller has this session key.";
  return new WakeshiftError(
    "unknown_session",
    `${what} Pass as session_key the key that an earlier result of this server gave this conversation.`,
  );
}
