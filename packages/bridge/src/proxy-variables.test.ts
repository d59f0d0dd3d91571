import { expect, test } from "vitest";
import { PROXY_HEADER, chooseProxy, proxyHeaderOf, readProxyHeader, shouldAdopt } from "./proxy-variables.ts";

const GOOD = { HTTPS_PROXY: "http://proxy.example:3128" };
const OTHER = { https_proxy: "https://other.example" };
const BROKEN = { HTTPS_PROXY: "proxy.corp.example:3128" };

test.each(["proxy.corp.example:3128", "127.0.0.1:3128", "socks5h://127.0.0.1:1080", "http://", "file:///x"])(
  "a proxy variable with %s can't be used, and is named (PC-51)",
  (value) => expect(chooseProxy({ HTTPS_PROXY: value })).toEqual({ kind: "unusable", variable: "HTTPS_PROXY" }),
);

test.each([
  ["an unusable one gives way to a proxy", BROKEN, false, GOOD, true],
  ["an unusable one gives way to none", BROKEN, false, {}, true],
  ["an unusable one doesn't give way to another unusable one", BROKEN, true, { HTTPS_PROXY: "http://" }, false],
  ["one that reaches its cores stays", GOOD, false, OTHER, false],
  ["none that reaches its cores stays", {}, false, GOOD, false],
  ["none that reaches no core gives way to a proxy", {}, true, GOOD, true],
  ["one that reaches no core gives way to another proxy", GOOD, true, OTHER, true],
  ["one that reaches no core doesn't give way to none", GOOD, true, {}, false],
  ["the same is nothing new", GOOD, true, GOOD, false],
] as const)("of a bridge's proxies, %s (PC-51)", (_what, present, isFailing, offered, expected) => {
  expect(shouldAdopt(present, isFailing, offered)).toBe(expected);
});

test("a caller hands over its proxies and nothing else of its environment, and nothing where they are too long", () => {
  const header = proxyHeaderOf({ ...GOOD, NO_PROXY: "ä,b", PATH: "/bin", http_proxy: "" });
  expect(readProxyHeader(header[PROXY_HEADER])).toEqual({ ...GOOD, NO_PROXY: "ä,b" });
  expect(proxyHeaderOf({ NO_PROXY: "x".repeat(9_000) })).toEqual({});
  for (const value of [undefined, "", "%", "null", "7"]) expect(readProxyHeader(value)).toBeUndefined();
});
