import type { Addition } from "@wakeshift/protocol";
import { isRecord, WakeshiftError } from "@wakeshift/protocol";
import type { Subscription, UnavailableReason } from "./call.ts";

/** What a core answered to a subscribe, in the parts the SDK uses. */
export interface ReadSubscribeAnswer {
  readonly subscription: Subscription;
  /** false: it was there and was renewed. */
  readonly created: boolean;
  readonly session: string | undefined;
  /** Absent: the result says nothing of it. */
  readonly addition: Addition | undefined;
}

const REASONS: readonly UnavailableReason[] = ["refused", "stdio", "no_user", "host_unsupported", "limit"];

/** @throws WakeshiftError `bad_response` where a field is missing or of another type */
export function readSubscribeAnswer(answer: Readonly<Record<string, unknown>>): ReadSubscribeAnswer {
  const { state = "subscribed", reason, session, addition, event_subscription: stored } = answer;
  const readSession = typeof session === "string" ? session : undefined;
  if (state === "unavailable") {
    const known = REASONS.find((each) => each === reason);
    return {
      subscription: { state, ...(known === undefined ? {} : { reason: known }) },
      created: false,
      session: readSession,
      addition: undefined,
    };
  }
  if (state !== "subscribed" && state !== "native") throw badResponse("state");
  if (!isRecord(stored) || typeof stored["id"] !== "string") throw badResponse("event_subscription.id");
  const expiresAt = new Date(String(stored["expires_at"]));
  return {
    subscription: { state, id: stored["id"], ...(Number.isNaN(expiresAt.getTime()) ? {} : { expiresAt }) },
    created: stored["created"] !== false,
    session: readSession,
    addition: readAddition(addition),
  };
}

function readAddition(addition: unknown): Addition {
  if (!isRecord(addition)) throw badResponse("addition");
  const { text = "", structured = {}, meta = {} } = addition;
  if (typeof text !== "string") throw badResponse("addition.text");
  if (!isRecord(structured)) throw badResponse("addition.structured");
  if (!isRecord(meta)) throw badResponse("addition.meta");
  return { text, structured, meta };
}

function badResponse(field: string): WakeshiftError {
  return new WakeshiftError("bad_response", `The core's answer to a subscribe has no good ${field}.`);
}
