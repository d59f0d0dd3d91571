import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { sendRpc } from "./sdk-support/json-rpc.ts";
import { serveHttp } from "./sdk-support/links.ts";

const EXTENSION = "io.modelcontextprotocol/events";

/** A server with sessions and one client, which says these things of itself. */
async function setup(kind: HostKind, name: string, capabilities: object, userAgent = "node") {
  const world = closedAfterTest(await startCoreWorld());
  world.wake.defineEvent("news.posted", { description: "News.", args: z.object({}), payload: z.object({}), public: true });
  const make = (): any => {
    const server = makeHost(kind, [
      {
        name: "watch",
        input: z.object({}),
        run: async () => {
          const { state, reason } = await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
          return { content: [{ type: "text", text: `${state} ${String(reason)}` }] };
        },
      },
    ]);
    world.wake.attach(server, { wrap: { watch: [world.crawlFinished] } });
    return server;
  };
  const served = await serveHttp(kind, make, true);
  onTestFinished(() => served.close());
  const agent = { "user-agent": userAgent };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name, version: "1" } };
  const hello = await sendRpc(served.url, "initialize", params, agent);
  const headers = { ...agent, "mcp-protocol-version": "2025-11-25", "mcp-session-id": hello.headers.get("mcp-session-id") ?? "" };
  const ask = async (method: string, given: object): Promise<any> => (await sendRpc(served.url, method, given, headers)).result;
  return { world, ask };
}

const isOffered = async (ask: (method: string, given: object) => Promise<any>): Promise<boolean> =>
  (await ask("tools/list", {})).tools.some((tool: any) => tool.name === "subscribe_events");

describe.each(HOST_KINDS)("on a %s with sessions", (kind) => {
  /** It is given no ticket and no `subscribe_events`, and the log says so once. */
  async function isLeftToItself(name: string, capabilities: object, userAgent?: string): Promise<void> {
    const { ask, world } = await setup(kind, name, capabilities, userAgent);
    expect(await isOffered(ask)).toBe(false);
    for (let calls = 0; calls < 2; calls += 1) {
      const result = await ask("tools/call", { name: "watch", arguments: {} });
      expect(result.content).toEqual([{ type: "text", text: "unavailable host_unsupported" }]);
      expect(result._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    }
    expect(world.log).toMatchObject([{ level: "warn", code: "native_unavailable", tool: "watch", reason: "host_unsupported" }]);
  }

  test.each([
    ["its extensions", "acme", { extensions: { [EXTENSION]: {} } }],
    ["its experimental capabilities", "acme", { experimental: { [EXTENSION]: {} } }],
    ["its extensions, under the name of a program that a bridge wakes,", "codex-mcp-client", { extensions: { [EXTENSION]: {} } }],
  ])(
    "a client that declares MCP Events in initialize among %s is given no ticket (seed-168, seed-222)",
    async (_where, name, capabilities) => isLeftToItself(name, capabilities),
  );

  test.each([
    ["name", "openai-mcp", "node"],
    ["User-Agent", "acme", "openai-mcp/1.0.0"],
  ])("ChatGPT is known by its %s openai-mcp, and is given no ticket (seed-255)", async (_by, name, userAgent) =>
    isLeftToItself(name, {}, userAgent),
  );

  test("a client that declares nothing of the kind is given both", async () => {
    const { ask, world } = await setup(kind, "acme", { extensions: { "io.example/other": {} } });
    expect(await isOffered(ask)).toBe(true);
    const result = await ask("tools/call", { name: "watch", arguments: {} });
    expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    expect(world.log).toEqual([]);
  });
});
