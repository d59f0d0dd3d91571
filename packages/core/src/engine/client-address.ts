import { BlockList, isIP } from "node:net";
import { WakeshiftError } from "@wakeshift/protocol";

/** Tells whether an address is a proxy whose `X-Forwarded-For` is believed. */
export type TrustedProxies = (address: string) => boolean;

/**
 * Reads the operator's list of proxies: addresses and CIDR ranges, such as `10.0.0.0/8`.
 *
 * @throws WakeshiftError `bad_request` naming what is neither
 */
export function parseTrustedProxies(list: readonly string[]): TrustedProxies {
  const trusted = new BlockList();
  for (const entry of list) {
    const [address = "", bits] = entry.split("/", 2);
    const family = familyOf(address);
    const most = family === "ipv4" ? 32 : 128;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(address) === 0 || prefix < 0 || prefix > most)
      throw new WakeshiftError(
        "bad_request",
        `WAKESHIFT_TRUSTED_PROXIES has ${JSON.stringify(entry.slice(0, 80))}, which is neither an address nor a range such as 10.0.0.0/8.`,
      );
    trusted.addSubnet(address, prefix, family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

/**
 * The address that limits count a request for. Behind trusted proxies it is the last one that `X-Forwarded-For` names before them;
 * nobody else's header is read. `undefined`: loopback, where whoever connects may be a proxy that stands for everybody. Of IPv6 it
 * is the network of 64 bits, which is what one client has.
 */
export function clientAddress(remote: string | undefined, forwardedFor: string | undefined, isTrusted: TrustedProxies): string | undefined {
  let address = withoutMapping(remote ?? "");
  for (const named of (forwardedFor ?? "").split(",").reverse()) {
    if (!isTrusted(address)) break;
    const before = withoutMapping(named.trim());
    if (isIP(before) === 0) break;
    address = before;
  }
  if (isIP(address) === 0 || address === "::1" || address.startsWith("127.")) return undefined;
  return isIP(address) === 6 ? networkOf(address) : address;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** The first four of its eight groups. */
function networkOf(address: string): string {
  const [before = "", after] = address.split("%", 1)[0]?.split("::") ?? [];
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
