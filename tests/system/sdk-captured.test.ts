import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { CAPTURED } from "./sdk-support/captured-requests.ts";
import type { Captured } from "./sdk-support/captured-requests.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";
import { startWakeWorld } from "./sdk-support/wake-world.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type World = Pick<Awaited<ReturnType<typeof startWakeWorld>>, "wake" | "crawlFinished">;

async function serveCrawler(world: World, kind: HostKind | "handler", seen: any[], identify?: () => object): Promise<string> {
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
  const served = kind === "handler" ? await serveHandler(make) : await serveHttp(kind, make, false);
  closers.push(() => served.close());
  return served.url;
}

async function replay(url: string, captured: Captured, more: object = {}): Promise<any> {
  const body = { ...captured.body, params: { ...captured.body.params, arguments: { ...captured.body.params["arguments"], ...more } } };
  const answer = await fetch(url, { method: "POST", headers: captured.headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return JSON.parse(text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "").slice(6)).result;
}

describe.each(CAPTURED.map((captured) => ({ captured, program: captured.program })))("$program", ({ captured }) => {
  const kinds: readonly (HostKind | "handler")[] = captured.modern ? ["handler"] : ["handler", "1.x McpServer", "2.x Server"];

  test.each(kinds)(
    "subscribes over stateless HTTP to %s and is recognized by the core (seed-158, seed-159, seed-160, seed-164, seed-165)",
    async (kind) => {
      const world = await startCoreWorld();
      closers.push(() => world.close());
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
      const [app] = await world.core.store.listApps();
      const [stored] = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
      expect(stored?.harness).toBe(captured.harness);
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

const [codex, claudeCode, , , , gemini] = CAPTURED as readonly [Captured, Captured, Captured, Captured, Captured, Captured];

test("passes on only what tells the program and the conversation, nothing of the user's folders", async () => {
  const world = await startWakeWorld();
  closers.push(() => world.close());
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
  const world = await startWakeWorld();
  closers.push(() => world.close());
  const url = await serveCrawler(world, "handler", [], () => ({ user: "u1", client: "gemini-cli" }));
  await replay(url, gemini);
  await replay(url, claudeCode);
  const [first, second] = world.peer.to("/event-subscriptions").map((request) => request.body["call"]);
  expect(first).toMatchObject({ client: "gemini-cli", user: "u1" });
  expect(second).toMatchObject({ client: "", user_agent: "claude-code/2.1.332 (sdk-cli)", user: "u1" });
});

test("the harness argument decides only where nothing else does (seed-162)", async () => {
  const world = await startCoreWorld();
  closers.push(() => world.close());
  const url = await serveCrawler(world, "handler", []);
  await replay(url, gemini, { harness: "gemini-cli" });
  await replay(url, claudeCode, { harness: "codex" });
  const [app] = await world.core.store.listApps();
  const stored = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
  expect(stored.map((each) => each.harness).sort()).toEqual(["claude-code", "gemini-cli"]);
});

test("another conversation's ids give nothing: the same thread id without the session key makes a subscription of its own (seed-163)", async () => {
  const world = await startCoreWorld();
  closers.push(() => world.close());
  const url = await serveCrawler(world, "handler", []);
  const first = await replay(url, codex);
  const second = await replay(url, codex);
  const idOf = (result: any): string => result._meta[SUBSCRIPTION_META_KEY][0].id;
  expect(idOf(second)).not.toBe(idOf(first));
  const key = /wsk_\w{32}/.exec(first.content.at(-1).text)?.[0];
  const third = await replay(url, codex, { session_key: key });
  expect(idOf(third)).toBe(idOf(first));
  expect(third._meta[SUBSCRIPTION_META_KEY][0].ticket).not.toBe(first._meta[SUBSCRIPTION_META_KEY][0].ticket);
});
