import { expect, test } from "vitest";
import { clientAddress, parseTrustedProxies } from "./client-address.ts";

const isTrusted = parseTrustedProxies(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);

test.each([
  ["203.0.113.5", undefined, "203.0.113.5"],
  ["::ffff:203.0.113.5", undefined, "203.0.113.5"],
  ["203.0.113.5", "198.51.100.1", "203.0.113.5"],
  ["10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["127.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.1", "198.51.100.1"],
  ["10.1.2.3", "6.6.6.6, nonsense", "10.1.2.3"],
  ["127.0.0.1", undefined, undefined],
  ["::1", undefined, undefined],
  [undefined, "198.51.100.1", undefined],
  ["2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2"],
  ["2001:db8::1", undefined, "2001:db8:0:0"],
  ["fd00::1", "2001:db8:1:2::9", "2001:db8:1:2"],
])("from %s with %s counts for %s", (remote, forwarded, expected) => {
  expect(clientAddress(remote, forwarded, isTrusted)).toBe(expected);
});

test.each(["10.0.0.0/33", "proxy.example", "10.0.0.0/x", ""])("refuses %j as a proxy", (entry) => {
  expect(() => parseTrustedProxies([entry])).toThrow(expect.objectContaining({ code: "bad_request" }) as Error);
});
