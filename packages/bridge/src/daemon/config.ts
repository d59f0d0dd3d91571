import { parseDuration } from "@wakeshift/protocol";
import { bridgeHome, type BridgeHome } from "../home.ts";
import { resolveHomeFolder } from "@wakeshift/programs/machine";
import type { WayTimes } from "../stream/stream-or-poll.ts";
import { DEFAULT_WAY_TIMES } from "../stream/stream-or-poll.ts";

/** What the bridge's processes take from their environment. */
export interface BridgeConfig {
  readonly home: BridgeHome;
  /** How long a taker may keep a wake without an outcome, in milliseconds. `undefined`: as usual. */
  readonly takerLeaseMs: number | undefined;
  readonly wayTimes: WayTimes;
}

const SHORTEST_MS = 100;

/**
 * Reads `WAKESHIFT_HOME` and the durations `WAKESHIFT_TAKER_LEASE`, `WAKESHIFT_STREAM_READY` and `WAKESHIFT_STREAM_AGAIN`. One that
 * isn't a duration counts as not set.
 */
export function readBridgeConfig(env: NodeJS.ProcessEnv): BridgeConfig {
  return {
    home: bridgeHome(resolveHomeFolder(env)),
    takerLeaseMs: readTime(env["WAKESHIFT_TAKER_LEASE"]),
    wayTimes: {
      readyMs: readTime(env["WAKESHIFT_STREAM_READY"]) ?? DEFAULT_WAY_TIMES.readyMs,
      streamAgainMs: readTime(env["WAKESHIFT_STREAM_AGAIN"]) ?? DEFAULT_WAY_TIMES.streamAgainMs,
    },
  };
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return Math.max(SHORTEST_MS, parseDuration(text));
  } catch {
    return undefined;
  }
}
