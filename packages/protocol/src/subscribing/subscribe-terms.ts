import type { SubscribeRequest } from "../app-api.ts";
import { WakeshiftError } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/** How long and how often a subscription delivers. */
export interface SubscribeTerms {
  readonly once: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number;
  /** Deliver the newest occurrence emitted since then, too. Wall clock, milliseconds. */
  readonly replaySince: number | undefined;
}

/**
 * Reads the terms a subscribe asks for.
 *
 * @throws WakeshiftError `bad_request`, `replay_too_long`
 */
export function subscribeTerms(request: Pick<SubscribeRequest, "once" | "ttl_ms" | "replay_ms">, now: number): SubscribeTerms {
  const replay = replayOf(request.replay_ms);
  return {
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
