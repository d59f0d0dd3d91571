import { describe, expect, test } from "vitest";
import { isModern, metaOf, userAgentOf } from "../request-context.ts";
import { toRequestContext, toToolsContext } from "./tools-context.ts";
import type { ToolsContext } from "./tools-context.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";

describe("a request is of protocol 2026-07-28 or later", () => {
  test.each<[boolean, ToolsContext]>([
    [true, { meta: { [VERSION]: "2026-07-28" } }],
    [true, { meta: { [VERSION]: "2027-01-01" } }],
    [false, { meta: { [VERSION]: "2025-11-25" } }],
    [true, { headers: { "Mcp-Protocol-Version": "2026-07-28" } }],
    [false, { headers: { "mcp-protocol-version": "2025-06-18" } }],
    [false, { meta: { [VERSION]: "2025-11-25" }, headers: { "mcp-protocol-version": "2026-07-28" } }],
    [false, { meta: { [VERSION]: 5 } }],
    [false, { meta: { [VERSION]: "9999" } }],
    [false, {}],
  ])("%s for %j", (modern, context) => {
    expect(isModern(toRequestContext(context))).toBe(modern);
  });
});

test("reads headers of every kind by lower-case names", () => {
  for (const headers of [{ "USER-agent": "a/1" }, { "user-agent": ["a/1", "b"] }, new Headers({ "User-Agent": "a/1" })])
    expect(userAgentOf(toRequestContext({ headers }))).toBe("a/1");
});

test("takes `_meta` from the params where the context has none", () => {
  expect(metaOf(toRequestContext({}, { _meta: { threadId: "1" } }))).toEqual({ threadId: "1" });
  expect(metaOf(toRequestContext({ meta: { threadId: "2" } }, { _meta: { threadId: "1" } }))).toEqual({ threadId: "2" });
  for (const params of [undefined, null, "x", { _meta: "x" }]) expect(metaOf(toRequestContext({}, params))).toEqual({});
});

test("tells identify the same of a framework's own context, of either SDK line's shape", () => {
  const authInfo = { token: "t", clientId: "c", scopes: [] };
  const { signal } = new AbortController();
  const headers = { "user-agent": "a/1" };
  expect(toToolsContext({ signal, authInfo, _meta: { a: 1 }, requestInfo: { headers }, clientInfo: { name: "n" } })).toEqual({
    meta: { a: 1 },
    headers,
    clientInfo: { name: "n" },
    authInfo,
    signal,
  });
  const req = { headers: new Headers(headers) };
  expect(toToolsContext({ mcpReq: { signal, _meta: { a: 1 }, envelope: { b: 2 } }, http: { req, authInfo } })).toMatchObject({
    meta: { a: 1, b: 2 },
    headers: req.headers,
    authInfo,
    signal,
  });
  expect(toToolsContext({})).toEqual({ meta: {}, headers: undefined, clientInfo: undefined, authInfo: undefined, signal: undefined });
});
