import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { sendRpc } from "./sdk-support/json-rpc.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";

/** Each says another program. One is left out after the other, from the first that counts to the last. */
const FACTS = {
  initialize: "codex-mcp-client",
  request: "copilot-cli",
  keys: { "claudecode/toolUseId": "toolu_1" },
  userAgent: "opencode/1.2.3",
  identify: "cursor",
  harness: "gemini-cli",
};
type Fact = keyof typeof FACTS;

/** The program that the core took a call of these facts for. */
async function programOf(told: ReadonlySet<Fact>, hasSessions: boolean): Promise<string | undefined> {
  const world = closedAfterTest(await startCoreWorld());
  const make = (): any => {
    const server = makeHost("2.x McpServer", [
      {
        name: "watch",
        input: z.object({}),
        run: async () => {
          await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
          return { content: [] };
        },
      },
    ]);
    const client = told.has("identify") ? { client: FACTS.identify } : {};
    world.wake.attach(server, { wrap: { watch: [world.crawlFinished] }, identify: () => client });
    return server;
  };
  const served = await (hasSessions ? serveHttp("2.x McpServer", make, true) : serveHandler(make));
  onTestFinished(() => served.close());
  const version = hasSessions ? "2025-11-25" : "2026-07-28";
  const agent = { "user-agent": told.has("userAgent") ? FACTS.userAgent : "node" };
  const headers: Record<string, string> = { ...agent, "mcp-protocol-version": version };
  if (hasSessions) {
    const clientInfo = { name: told.has("initialize") ? FACTS.initialize : "mcp", version: "1" };
    const hello = await sendRpc(served.url, "initialize", { protocolVersion: version, capabilities: {}, clientInfo }, agent);
    headers["mcp-session-id"] = hello.headers.get("mcp-session-id") ?? "";
  }
  const modern = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: told.has("request") ? FACTS.request : "mcp", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await sendRpc(
    served.url,
    "tools/call",
    {
      name: "watch",
      arguments: told.has("harness") ? { harness: FACTS.harness } : {},
      _meta: { ...(hasSessions ? {} : modern), ...(told.has("keys") ? FACTS.keys : {}) },
    },
    { ...headers, ...(hasSessions ? {} : { "mcp-method": "tools/call", "mcp-name": "watch" }) },
  );
  expect(answer.error).toBeUndefined();
  const [app] = await world.core.store.listApps();
  const [stored] = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
  return stored?.harness;
}

/** Whether there are sessions, and what such a call can tell, the strongest first. */
const ORDERS: readonly (readonly [boolean, readonly Fact[]])[] = [
  [true, ["initialize", "keys", "userAgent", "identify", "harness"]],
  [false, ["request", "keys", "userAgent", "identify", "harness"]],
];

test.each([
  ["the client's name, in initialize or else in each request, before all else (seed-157, seed-158)", 0, ["codex", "copilot-cli"]],
  ["a program's own keys of `_meta` before its User-Agent (seed-159)", 1, ["claude-code", "claude-code"]],
  ["the User-Agent before the client that identify gives (seed-160)", 2, ["opencode", "opencode"]],
  ["the client that identify gives before harness (seed-161)", 3, ["cursor", "cursor"]],
  ["harness if nothing else tells (seed-162)", 4, ["gemini-cli", "gemini-cli"]],
])("the core recognizes the program of a call by %s, with sessions and on 2026-07-28", async (_rule, leftOut, programs) => {
  const recognized = await Promise.all(ORDERS.map(([hasSessions, facts]) => programOf(new Set(facts.slice(leftOut)), hasSessions)));
  expect(recognized).toEqual(programs);
});
