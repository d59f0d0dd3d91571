import { assertOpen, callerOf, subscribeTerms, viaOf, WakeshiftError } from "@wakeshift/protocol";
import type { Caller, SubscribeRequest, SubscribeTerms, Via } from "@wakeshift/protocol";
import type { EventRecord, Hash } from "../store.ts";
import { checkArguments, isPersonal, routeOf } from "../event/event-arguments.ts";
import { shapeOf } from "../event/event-shape.ts";

/** A subscription that may be made. */
export interface SubscribeDecision extends SubscribeTerms {
  readonly caller: Caller;
  readonly via: Via;
  readonly route: Hash;
  /** What the route was made of, see {@link shapeOf}. */
  readonly shape: string;
  /** Canonical JSON. */
  readonly arguments: string;
  readonly filter: string;
}

/**
 * Decides whether a call may subscribe, and to what: openness by path, then the user a personal event needs, then the arguments,
 * then the limits. The openness comes first, so that a closed event tells nothing about itself.
 *
 * @param fault - what the event's schema found wrong with the arguments
 * @throws WakeshiftError `not_open`, `user_required`, `bad_arguments`, `bad_request`, `replay_too_long`, `unsupported`
 */
export function decideSubscribe(request: SubscribeRequest, event: EventRecord, fault: string | undefined, now: number): SubscribeDecision {
  const via = viaOf(request.via, request.call.tool);
  assertOpen(event, via);
  if (request.native === true || via === "native") {
    throw new WakeshiftError("unsupported", "This core doesn't serve MCP Events yet: subscribe through a tool, without `native`.");
  }
  const caller = callerOf(request.call);
  if (isPersonal(event) && caller.user === undefined) {
    throw new WakeshiftError("user_required", `${event.name} is personal: it needs a signed-in user, and this call has none.`);
  }
  const args = checkArguments(event, request.arguments, fault);
  const route = routeOf(event, args.required, isPersonal(event) ? caller.user : undefined);
  return { caller, via, route, shape: shapeOf(event), arguments: args.text, filter: args.filter, ...subscribeTerms(request, now) };
}
