import { WakeshiftError } from "../errors.ts";
import { hex } from "./hex.ts";

/** Makes a subscription id: `sub_` and 32 lowercase hex characters, from 16 random bytes. */
export function formatSubscriptionId(random16: Uint8Array): string {
  if (random16.length !== 16) throw new WakeshiftError("internal", `A subscription id needs 16 random bytes, not ${random16.length}.`);
  return `sub_${hex(random16)}`;
}
