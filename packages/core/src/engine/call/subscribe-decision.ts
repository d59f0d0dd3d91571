import { LIMITS, viaOf, WakeshiftError } from "@wakeshift/protocol";
import type { SubscribeRequest, Via } from "@wakeshift/protocol";
import type { EventRecord, Hash } from "../../store/store.ts";
import { checkArguments, isPersonal, routeOf } from "../event/event-arguments.ts";
import type { SchemaCheck } from "../schema/schema-check.ts";
import { assertOpen } from "./openness-decision.ts";
import { callerOf } from "./session-rule.ts";
import type { Caller } from "./session-rule.ts";

/** A subscription that may be made. */
export interface SubscribeDecision {
  readonly caller: Caller;
  readonly via: Via;
  readonly route: Hash;
  /** Canonical JSON. */
  readonly arguments: string;
  readonly filter: string;
  readonly once: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number;
  readonly replaySince: number | undefined;
}

/**
 * Decides whether a call may subscribe, and to what: openness by path, then the user a personal event needs, then the arguments,
 * then the limits. The openness comes first, so that a closed event tells nothing about itself.
 *
 * @throws WakeshiftError `not_open`, `user_required`, `bad_arguments`, `bad_request`, `replay_too_long`, `unsupported`
 */
export function decideSubscribe(request: SubscribeRequest, event: EventRecord, check: SchemaCheck, now: number): SubscribeDecision {
  const via = viaOf(request.via, request.call.tool);
  assertOpen(event, via);
  if (request.native === true || via === "native") {
    throw new WakeshiftError("unsupported", "This core doesn't serve MCP Events yet: subscribe through a tool, without `native`.");
  }
  const caller = callerOf(request.call);
  if (isPersonal(event) && caller.user === undefined) {
    throw new WakeshiftError("user_required", `${event.name} is personal: it needs a signed-in user, and this call has none.`);
  }
  const args = checkArguments(event, request.arguments, check);
  const route = routeOf(event, args.required, isPersonal(event) ? caller.user : undefined);
  const replay = replayOf(request.replay_ms);
  return {
    caller,
    via,
    route,
    arguments: args.text,
    filter: args.filter,
    once: request.once === true,
    expiresAt: now + ttlOf(request.ttl_ms),
    replaySince: replay === 0 ? undefined : now - replay,
  };
}

function ttlOf(ttl: number | undefined): number {
  if (ttl === undefined) return LIMITS.ttlDefaultMs;
  if (ttl < LIMITS.ttlMinMs || ttl > LIMITS.ttlMaxMs) {
    throw new WakeshiftError(
      "bad_request",
      `ttl_ms is ${ttl}; it must lie between ${LIMITS.ttlMinMs} (a minute) and ${LIMITS.ttlMaxMs} (30 days).`,
    );
  }
  return ttl;
}

function replayOf(replay: number | undefined): number {
  if (replay === undefined) return 0;
  if (replay < 0) throw new WakeshiftError("bad_request", `replay_ms is ${replay}; it must be 0 or more.`);
  if (replay > LIMITS.replayMaxMs) {
    throw new WakeshiftError("replay_too_long", `replay_ms is ${replay}; the farthest back is ${LIMITS.replayMaxMs} (24 hours).`);
  }
  return replay;
}
