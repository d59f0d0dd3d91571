import { describe, expect, test } from "vitest";
import { z } from "zod";
import { subscribedBy } from "./sdk-support/signed-in-world.ts";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { sendRpc } from "./sdk-support/json-rpc.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";

const CODEX = "codex-mcp-client/0.160.0";
const CLAUDE = "claude-code/2.1.0 (external, cli)";

/** Programs call one server each request of which stands alone; the token of a request is its user. */
async function setup(serving: "2025-11-25" | "2026-07-28", kind: HostKind) {
  const world = closedAfterTest(await startCoreWorld());
  const make = (): any => {
    const server = makeHost(kind, [
      {
        name: "watch",
        input: z.object({}),
        run: async () => {
          await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
          return { content: [] };
        },
      },
    ]);
    const tokenOf = (context: any): string | undefined =>
      context.http?.req?.headers.get("authorization") ?? context.requestInfo?.headers.authorization;
    world.wake.attach(server, { wrap: { watch: [world.crawlFinished] }, identify: (context: any) => ({ user: tokenOf(context) }) });
    return server;
  };
  const served = closedAfterTest(await (serving === "2025-11-25" ? serveHttp(kind, make, false) : serveHandler(make)));
  return async (program: string, name: string, args: object = {}, user?: string): Promise<any> => {
    const modern = serving === "2026-07-28";
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": serving,
      "io.modelcontextprotocol/clientInfo": { name: program.split("/")[0], version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name, arguments: args, ...(modern ? { _meta } : {}) };
    const headers = {
      "mcp-protocol-version": serving,
      "user-agent": program,
      ...(modern ? { "mcp-method": "tools/call", "mcp-name": name } : {}),
      ...(user === undefined ? {} : { authorization: user }),
    };
    return (await sendRpc(served.url, "tools/call", params, headers)).result;
  };
}

describe.each([
  ["2025-11-25", "1.x Server"],
  ["2025-11-25", "2.x McpServer"],
  ["2026-07-28", "2.x McpServer"],
] as const)("without sessions, on %s by a %s", (serving, kind) => {
  test("a session key that Codex got renews, lists and ends nothing for Claude Code, whatever the model says (PC-44)", async () => {
    const call = await setup(serving, kind);
    const made = subscribedBy(await call(CODEX, "watch", { harness: "codex" }));
    const key = { session_key: made.session };
    const stolen = subscribedBy(await call(CLAUDE, "watch", { ...key, harness: "codex" }));
    expect([stolen.id === made.id, stolen.session === made.session]).toEqual([false, false]);
    expect(await call(CLAUDE, "list_subscriptions", key)).toMatchObject({ isError: true });
    const nothing = await call(CLAUDE, "unsubscribe_events", { ...key, event: "crawl.finished" });
    expect(nothing.content[0].text).toBe("This conversation has no such subscription.");
    expect((await call(CODEX, "list_subscriptions", key)).content[0].text).toContain(made.id);
    expect(subscribedBy(await call(CODEX, "watch", { ...key, harness: "claude-code" })).id).toBe(made.id);
  });

  test("an anonymous conversation's session key works for no signed-in user, nor a user's for nobody (PC-44)", async () => {
    const call = await setup(serving, kind);
    for (const [owner, other] of [
      [undefined, "ada"],
      ["ada", undefined],
      ["ada", "bob"],
    ] as const) {
      const made = subscribedBy(await call(CODEX, "watch", {}, owner));
      const key = { session_key: made.session };
      expect(subscribedBy(await call(CODEX, "watch", key, other)).id).not.toBe(made.id);
      expect(await call(CODEX, "list_subscriptions", key, other)).toMatchObject({ isError: true });
      await call(CODEX, "unsubscribe_events", { ...key, event: "crawl.finished" }, other);
      expect((await call(CODEX, "list_subscriptions", key, owner)).content[0].text).toContain(made.id);
    }
  });
});
