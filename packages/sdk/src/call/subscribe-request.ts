import { LIMITS, WakeshiftError, parseDuration } from "@wakeshift/protocol";
import type { SubscribeRequest } from "@wakeshift/protocol";
import { assertOptions } from "../options/assert-options.ts";
import type { OptionNames } from "../options/assert-options.ts";
import type { SubscribeOptions } from "./call.ts";

const NAMES: OptionNames<SubscribeOptions> = { once: true, replay: true, ttl: true, context: true };

/**
 * The part of a subscribe request that the author's options make.
 * @throws WakeshiftError `bad_request`, `replay_too_long`
 */
export function readSubscribeOptions(options: SubscribeOptions): Pick<SubscribeRequest, "once" | "ttl_ms" | "replay_ms"> {
  assertOptions(options, NAMES, "call.subscribe()");
  const { once, ttl, replay } = options;
  if (once !== undefined && typeof once !== "boolean") throw new WakeshiftError("bad_request", "`once` must be true or false.");
  const ttlMs = ttl === undefined ? undefined : parseDuration(ttl);
  if (ttlMs !== undefined && (ttlMs < LIMITS.ttlMinMs || ttlMs > LIMITS.ttlMaxMs)) {
    throw new WakeshiftError("bad_request", `\`ttl\` is ${String(ttlMs)} ms; it must lie between 1 minute and 30 days.`);
  }
  const replayMs = replay === undefined ? undefined : parseDuration(replay);
  if (replayMs !== undefined && replayMs > LIMITS.replayMaxMs) {
    throw new WakeshiftError("replay_too_long", `\`replay\` is ${String(replayMs)} ms; it reaches at most 24 hours back.`);
  }
  return {
    ...(once === undefined ? {} : { once }),
    ...(ttlMs === undefined ? {} : { ttl_ms: ttlMs }),
    ...(replayMs === undefined ? {} : { replay_ms: replayMs }),
  };
}
