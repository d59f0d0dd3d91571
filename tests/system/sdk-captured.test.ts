import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { CAPTURED, CAPTURED_INITIALIZE } from "./sdk-support/captured-requests.ts";
import type { Captured } from "./sdk-support/captured-requests.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";
import type { startWakeWorld } from "./sdk-support/wake-world.ts";

type World = Pick<Awaited<ReturnType<typeof startWakeWorld>>, "wake" | "crawlFinished">;

async function serveCrawler(
  world: World,
  kind: HostKind | "handler",
  seen: any[],
  identify?: () => object,
  sessions = false,
): Promise<string> {
  const make = (): any => {
    const server = makeHost(kind === "handler" ? "2.x McpServer" : kind, [
      {
        name: "start_crawl",
        input: z.strictObject({ url: z.string() }),
        run: async (args) => {
          seen.push(args);
          await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j" }, { once: true });
          return { content: [{ type: "text", text: "started" }] };
        },
      },
    ]);
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] }, ...(identify === undefined ? {} : { identify }) });
    return server;
  };
  const served = kind === "handler" ? await serveHandler(make) : await serveHttp(kind, make, sessions);
  onTestFinished(() => served.close());
  return served.url;
}

interface Exchange {
  readonly result: any;
  readonly headers: Headers;
}

async function post(url: string, headers: Readonly<Record<string, string>>, message: object): Promise<Exchange> {
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const text = await answer.text();
  const json = text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "data: {}").slice(6);
  return { result: JSON.parse(json).result, headers: answer.headers };
}

async function storedHarness(world: Awaited<ReturnType<typeof startCoreWorld>>): Promise<string | undefined> {
  const [app] = await world.core.store.listApps();
  return (await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now()))[0]?.harness;
}

async function replay(url: string, captured: Captured, more: object = {}): Promise<any> {
  const body = { ...captured.body, params: { ...captured.body.params, arguments: { ...captured.body.params["arguments"], ...more } } };
  return (await post(url, captured.headers, body)).result;
}

describe.each(CAPTURED.map((captured) => ({ captured, program: captured.program })))("$program", ({ captured }) => {
  const kinds: readonly (HostKind | "handler")[] = captured.modern ? ["handler"] : ["handler", "1.x McpServer", "2.x Server"];

  test.each(kinds)(
    "subscribes over stateless HTTP to %s and is recognized by the core (seed-158, seed-159, seed-160, seed-164, seed-165)",
    async (kind) => {
      const world = closedAfterTest(await startCoreWorld());
      const seen: any[] = [];
      const result = await replay(await serveCrawler(world, kind, seen), captured);
      expect(seen).toEqual([{ url: "https://a" }]);
      const [entry] = result._meta[SUBSCRIPTION_META_KEY];
      expect(entry).toMatchObject({
        v: 1,
        core: world.core.url,
        event: "crawl.finished",
        arguments: { job: "j" },
        once: true,
        tool: "start_crawl",
      });
      expect(await storedHarness(world)).toBe(captured.harness);
      await world.crawlFinished.emit({ job: "j" }, { status: "done" });
      const { wakes } = await world.next([entry.ticket]);
      expect(wakes).toMatchObject([
        { subscription: entry.id, event: "crawl.finished", payload: { status: "done" }, text: 'A crawl finished: {"status":"done"}' },
      ]);
      if (wakes[0] !== undefined) await world.ack(entry.ticket, wakes[0]);
      expect(await world.crawlFinished.emit({ job: "j" }, { status: "again" })).toMatchObject({ matched: 0 });
      expect(result.content.at(-1).text).not.toContain(entry.ticket);
    },
  );
});

describe.each(CAPTURED_INITIALIZE.map((captured) => ({ captured, program: captured.program })))("$program", ({ captured }) => {
  test.each(["1.x McpServer", "2.x Server"] as const)(
    "is known by its name in initialize on a %s with sessions (seed-157)",
    async (kind) => {
      const world = closedAfterTest(await startCoreWorld());
      const url = await serveCrawler(world, kind, [], undefined, true);
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "user-agent": "node" };
      const begun = await post(url, headers, { id: 0, method: "initialize", params: captured.params });
      const session = {
        ...headers,
        "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": captured.params.protocolVersion,
      };
      await post(url, session, { method: "notifications/initialized" });
      const called = await post(url, session, { id: 1, method: "tools/call", params: { name: "start_crawl", arguments: { url: "u" } } });
      expect(called.result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
      expect(await storedHarness(world)).toBe(captured.harness);
    },
  );
});

const [codex, claudeCode, , , , gemini] = CAPTURED as readonly [Captured, Captured, Captured, Captured, Captured, Captured];

test("passes on only what tells the program and the conversation, nothing of the user's folders", async () => {
  const world = await openWakeWorld();
  await replay(await serveCrawler(world, "handler", []), codex);
  const [request] = world.peer.to("/event-subscriptions");
  expect(request?.body["call"].meta).toEqual({
    threadId: "01a22915-2156-7b10-b8bd-84fb496a9f83",
    sessionId: "01a22915-2156-7b10-b8bd-84fb496a9f83",
    "x-codex-turn-metadata": {
      thread_id: "01a22915-2156-7b10-b8bd-84fb496a9f83",
      session_id: "01a22915-2156-7b10-b8bd-84fb496a9f83",
      turn_trigger: "exec",
      thread_source: "user",
    },
  });
  expect(JSON.stringify(world.peer.requests)).not.toContain("secret-project");
});

test("takes the client's name from identify only where nothing in the request tells it (seed-161, seed-166, seed-174)", async () => {
  const world = await openWakeWorld();
  const url = await serveCrawler(world, "handler", [], () => ({ user: "u1", client: "gemini-cli" }));
  await replay(url, gemini);
  await replay(url, claudeCode);
  const [first, second] = world.peer.to("/event-subscriptions").map((request) => request.body["call"]);
  expect(first).toMatchObject({ client: "gemini-cli", user: "u1" });
  expect(second).toMatchObject({ client: "", user_agent: "claude-code/2.1.332 (sdk-cli)", user: "u1" });
});

test("the harness argument decides only where nothing else does (seed-162)", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const url = await serveCrawler(world, "handler", []);
  await replay(url, gemini, { harness: "gemini-cli" });
  await replay(url, claudeCode, { harness: "codex" });
  const [app] = await world.core.store.listApps();
  const stored = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
  expect(stored.map((each) => each.harness).sort()).toEqual(["claude-code", "gemini-cli"]);
});
