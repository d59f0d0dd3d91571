import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { CLIENT_NAME, LINKS, canLink } from "./sdk-support/links.ts";
import type { Link, LinkName } from "./sdk-support/links.ts";
import type { WakeWorld } from "./sdk-support/wake-world.ts";

interface Setup {
  readonly world: WakeWorld;
  readonly link: Link;
  readonly seen: any[];
}

/** A strict tool that subscribes and one that doesn't, served the given way; a new server each time the factory is asked. */
async function setup(kind: HostKind, name: LinkName): Promise<Setup> {
  const world = await openWakeWorld();
  const seen: any[] = [];
  const make = (): any => {
    const server = makeHost(kind, [
      {
        name: "start_crawl",
        description: "Crawl a site",
        input: z.strictObject({ url: z.string() }),
        output: z.object({ job: z.string() }),
        run: async (args, context) => {
          seen.push(args);
          await new Promise((resolve) => setImmediate(resolve));
          const call = world.wake.currentCall();
          expect(world.wake.currentCall(context)).toBe(call);
          await call.subscribe(world.crawlFinished, { job: args.url }, { once: true });
          return { content: [{ type: "text", text: "started" }], structuredContent: { job: args.url }, _meta: { "author/key": 1 } };
        },
      },
      {
        name: "plain",
        input: z.strictObject({ q: z.string() }),
        run: (args) => {
          seen.push(args);
          expect(() => world.wake.currentCall()).toThrow(expect.objectContaining({ code: "no_call" }));
          return { content: [{ type: "text", text: args.q }] };
        },
      },
    ]);
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  };
  const link = closedAfterTest(await LINKS[name](kind, make));
  return { world, link, seen };
}

const ways = HOST_KINDS.flatMap((kind) =>
  (Object.keys(LINKS) as LinkName[]).filter((link) => canLink(kind, link)).map((link) => ({ kind, link })),
);

describe.each(ways)("$kind, $link", ({ kind, link: name }) => {
  test("lists the wrapped tool with our arguments, one sentence and room for the block, then our own tools (seed-11, seed-12, seed-13, seed-14, seed-15, seed-17, seed-132, seed-133, seed-134, seed-135, seed-136, seed-137)", async () => {
    const { link } = await setup(kind, name);
    const { tools } = await link.client.listTools();
    const [wrapped, plain] = tools;
    expect(Object.keys(wrapped.inputSchema.properties)).toEqual(["url", "session_key", "harness", "conversation_id"]);
    expect(wrapped.inputSchema.required).toEqual(["url"]);
    expect(wrapped.inputSchema.additionalProperties).toBe(false);
    expect(wrapped.description).toMatch(/^Crawl a site\. This tool is how the app notifies you of crawl\.finished[^.]*\.$/);
    expect(Object.keys(wrapped.outputSchema.properties)).toEqual(["job", "wakeshift"]);
    expect(wrapped.outputSchema.required).toEqual(["job"]);
    expect(Object.keys(plain.inputSchema.properties)).toEqual(["q"]);
    expect(tools.map((tool: any) => tool.name)).toEqual(["start_crawl", "plain", "unsubscribe_events", "list_subscriptions"]);
  });

  test("takes our arguments out of every call and puts the block in its three places (seed-23, seed-24, seed-25, seed-138, seed-139, seed-151, seed-155, seed-156)", async () => {
    const { link, seen, world } = await setup(kind, name);
    await link.client.listTools();
    const result = await link.client.callTool({
      name: "start_crawl",
      arguments: { url: "u", session_key: "k1", harness: "codex", conversation_id: "c1" },
    });
    expect(result.isError).not.toBe(true);
    expect(seen).toEqual([{ url: "u" }]);
    const [request] = world.peer.to("/event-subscriptions");
    expect(request?.body).toMatchObject({
      name: "crawl.finished",
      arguments: { job: "u" },
      once: true,
      via: "tool",
      call: {
        tool: "start_crawl",
        session: "k1",
        harness: "codex",
        conversation: "c1",
        call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
      },
    });
    expect(result.content.map((part: any) => part.text)).toEqual(["started", expect.stringContaining("session_key: k1")]);
    expect(result.structuredContent).toMatchObject({ job: "u", wakeshift: { state: "subscribed", event: "crawl.finished" } });
    expect(result._meta).toMatchObject({
      "author/key": 1,
      [SUBSCRIPTION_META_KEY]: [{ v: 1, event: "crawl.finished", arguments: { job: "u" }, tool: "start_crawl" }],
    });

    const other = await link.client.callTool({
      name: "plain",
      arguments: { q: "x", session_key: "k1", harness: "codex", conversation_id: "c1" },
    });
    expect(other).toMatchObject({ content: [{ type: "text", text: "x" }] });
    expect(other._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    expect(seen.at(-1)).toEqual({ q: "x" });
    // The tool that isn't wrapped has asked for its call.
    expect(world.log).toMatchObject([{ level: "warn", code: "no_call" }]);
  });

  test("tells the core the client's name where the way of serving keeps it (seed-157, seed-158)", async () => {
    const { link, world } = await setup(kind, name);
    await link.client.callTool({ name: "start_crawl", arguments: { url: "u" } });
    const stateless = name === "HTTP, stateless" || name === "createMcpHandler, 2025-11-25";
    expect(world.peer.to("/event-subscriptions")[0]?.body["call"].client).toBe(stateless ? "" : CLIENT_NAME);
    if (name.startsWith("createMcpHandler") || name.startsWith("HTTP"))
      expect(world.peer.to("/event-subscriptions")[0]?.body["call"].user_agent).toBe("node");
  });
});
