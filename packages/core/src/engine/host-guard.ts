import type { OwnAddresses } from "./own-addresses.ts";

/**
 * Tells whether a request is meant for this core. A page whose name was rebound to loopback sends no `Origin`, but its own name as
 * `Host`; a page elsewhere sends its `Origin`. Both are refused, and so is an `Origin` of `null`.
 */
export function isOwnRequest(own: OwnAddresses, host: string | undefined, origin: string | undefined): boolean {
  if (host === undefined || !own.hosts.has(host.toLowerCase())) return false;
  return origin === undefined || own.origins.has(origin.toLowerCase());
}
