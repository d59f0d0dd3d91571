import { parseDuration } from "@wakeshift/protocol";
import { bridgeHome, resolveHomeFolder } from "../home.ts";
import type { BridgeHome } from "../home.ts";

/** What the bridge's processes take from their environment. */
export interface BridgeConfig {
  readonly home: BridgeHome;
  /** How long a taker may keep a wake without an outcome, in milliseconds. `undefined`: as usual. */
  readonly takerLeaseMs: number | undefined;
}

const SHORTEST_LEASE_MS = 100;

/** Reads `WAKESHIFT_HOME` and `WAKESHIFT_TAKER_LEASE`. A lease that is no duration counts as none. */
export function readBridgeConfig(env: NodeJS.ProcessEnv): BridgeConfig {
  return { home: bridgeHome(resolveHomeFolder(env)), takerLeaseMs: readLease(env["WAKESHIFT_TAKER_LEASE"]) };
}

function readLease(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return Math.max(SHORTEST_LEASE_MS, parseDuration(text));
  } catch {
    return undefined;
  }
}
