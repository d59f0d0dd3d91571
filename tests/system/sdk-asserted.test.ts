import { randomBytes } from "node:crypto";
import { createApp } from "@wakeshift/core";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { AppClient } from "./core-support/core-client.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { serve } from "./sdk-support/links.ts";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";

const THREAD = "01a22915-2156-7b10-b8bd-84fb496a9f83";
const CODEX_META = { threadId: THREAD, sessionId: THREAD, "x-codex-turn-metadata": { thread_id: THREAD, session_id: THREAD } };

interface Asking {
  readonly user?: string;
  readonly args?: object;
  readonly meta?: object;
  readonly userAgent?: string;
}

/** A server behind a sign-in (the bearer token is the user's name), asked as Codex asks unless told otherwise. */
async function serveApp(world: CoreWorld, wake: Wakeshift = world.wake, event = world.crawlFinished) {
  const make = (): any => {
    const server = makeHost("2.x McpServer", [
      {
        name: "start_crawl",
        input: z.strictObject({ job: z.string() }),
        run: async ({ job }) => {
          await wake.currentCall().subscribe(event, { job });
          return { content: [{ type: "text", text: "started" }] };
        },
      },
    ]);
    wake.attach(server, {
      wrap: { start_crawl: [event] },
      identify: (context) => (context.http?.authInfo === undefined ? null : { user: String(context.http.authInfo.extra?.["sub"]) }),
    });
    return server;
  };
  const handler = toNodeHandler(createMcpHandler(make));
  const served = await serve((request, response) => {
    const user = request.headers.authorization?.slice(7);
    return handler(
      Object.assign(
        request,
        user === undefined ? {} : { auth: { token: user, clientId: "client", scopes: [], extra: { sub: user } } },
      ) as never,
      response,
    );
  });
  onTestFinished(() => served.close());
  return async (name: string, { user, args = {}, meta = CODEX_META, userAgent = "codex-mcp-client/0.171.0" }: Asking): Promise<any> => {
    const answer = await fetch(served.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": userAgent,
        ...(user === undefined ? {} : { authorization: `Bearer ${user}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta } }),
    });
    const text = await answer.text();
    return JSON.parse(text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "").slice(6)).result;
  };
}

const entryOf = (result: any): any => result._meta[SUBSCRIPTION_META_KEY][0];
const sessionOf = (result: any): string => /wsk_\w{32}/.exec(result.content.at(-1).text)?.[0] ?? "";
/** What a tool said, without the ids and keys that a new conversation is given. */
const saidBy = (result: any): string => JSON.stringify(result.content).replaceAll(/sub_\w+|wsk_\w+/g, "…");

async function setup() {
  const world = closedAfterTest(await startCoreWorld());
  const ask = await serveApp(world);
  const ada = await ask("start_crawl", { user: "ada", args: { job: "ada's" } });
  return { world, ask, entry: entryOf(ada), session: sessionOf(ada) };
}

test("another conversation's thread id gives neither its subscriptions nor its wakes (seed-163)", async () => {
  const { world, ask, entry } = await setup();
  for (const user of ["ada", "bob", undefined]) {
    const asked: Asking = { ...(user === undefined ? {} : { user }), meta: CODEX_META };
    // Ada herself finds what is hers by her sign-in, whatever thread she names.
    if (user !== "ada") {
      const listed = await ask("list_subscriptions", { ...asked, args: { conversation_id: THREAD, harness: "codex" } });
      expect(JSON.stringify(listed)).not.toContain("ada's");
      const ended = await ask("unsubscribe_events", { ...asked, args: { id: entry.id, conversation_id: THREAD } });
      expect(ended.content[0].text).not.toMatch(/Ended 1/);
    }
    const second = await ask("start_crawl", { ...asked, args: { job: `mine ${String(user)}`, conversation_id: THREAD } });
    expect(entryOf(second).id).not.toBe(entry.id);
    await world.crawlFinished.emit({ job: "ada's" }, { status: String(user) });
    expect((await world.next([entryOf(second).ticket], 0)).wakes).toEqual([]);
  }
  const { wakes } = await world.next([entry.ticket]);
  expect(wakes.length).toBeGreaterThan(0);
  for (const wake of wakes) expect(wake.subscription).toBe(entry.id);
});

test("the same thread id without the session key makes a subscription of its own, with it renews (seed-163)", async () => {
  const { ask, entry, session } = await setup();
  const again = await ask("start_crawl", { user: "ada", args: { job: "ada's" } });
  expect(entryOf(again).id).not.toBe(entry.id);
  const renewed = await ask("start_crawl", { user: "ada", args: { job: "ada's", session_key: session } });
  expect(entryOf(renewed).id).toBe(entry.id);
  expect(entryOf(renewed).ticket).not.toBe(entry.ticket);
});

test("another user's session key gives what a key that never was gives: nothing (seed-163)", async () => {
  const { world, ask, entry, session } = await setup();
  const guessed = `wsk_${"a".repeat(32)}`;
  const oneOff = session.slice(0, -1) + (session.endsWith("x") ? "y" : "x");
  for (const user of ["bob", undefined]) {
    const who = user === undefined ? {} : { user };
    for (const [tool, args] of [
      ["list_subscriptions", {}],
      ["unsubscribe_events", { id: entry.id }],
      ["unsubscribe_events", { event: "crawl.finished", arguments: { job: "ada's" } }],
    ] as const) {
      const [theirs, never, near] = await Promise.all(
        [session, guessed, oneOff].map((key) => ask(tool, { ...who, args: { ...args, session_key: key } })),
      );
      expect(saidBy(theirs)).toBe(saidBy(never));
      expect(saidBy(near)).toBe(saidBy(never));
      expect(JSON.stringify(theirs)).not.toContain("ada's\"");
    }
    const subscribed = await ask("start_crawl", { ...who, args: { job: "ada's", session_key: session } });
    expect(entryOf(subscribed).id).not.toBe(entry.id);
    expect(sessionOf(subscribed)).not.toBe(session);
  }
  const own = await ask("list_subscriptions", { user: "ada", args: { session_key: session } });
  expect(JSON.stringify(own)).toContain(entry.id);
  expect(await world.crawlFinished.emit({ job: "ada's" }, { status: "x" })).toMatchObject({ matched: 3 });
});

test("a session key of another client of the same user gives nothing either (seed-163)", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const ask = await serveApp(world);
  const named = (name: string): Asking => ({
    user: "ada",
    meta: { "io.modelcontextprotocol/clientInfo": { name, version: "1" } },
  });
  const first = await ask("start_crawl", { ...named("codex-mcp-client"), args: { job: "1" } });
  const other = await ask("list_subscriptions", { ...named("claude-code"), args: { session_key: sessionOf(first) } });
  expect(JSON.stringify(other)).not.toContain(entryOf(first).id);
});

test("a ticket or id that is guessed, or of another app, yields nothing (seed-163)", async () => {
  const { world, entry } = await setup();
  const { key } = await createApp({ store: world.core.store, now: Date.now, randomBytes }, "another");
  const other = new Wakeshift({ key: key.key, core: world.core.url, logger: () => undefined });
  const event = defineCrawlFinished(other);
  const ask = await serveApp(world, other, event);
  const mine = await ask("start_crawl", { user: "ada", args: { job: "ada's" } });
  const ended = await ask("unsubscribe_events", { user: "ada", args: { id: entry.id, session_key: sessionOf(mine) } });
  expect(ended.content[0].text).not.toMatch(/Ended 1/);
  // The request itself, which the SDK has no way to send: by the id alone, with the other app's key.
  const raw = new AppClient(world.core.url, key.key, key.keyId);
  expect(await raw.post("/event-subscriptions/end", { id: entry.id })).toMatchObject({ status: 200, body: { ended: 0 } });
  await world.crawlFinished.emit({ job: "ada's" }, { status: "done" });
  const guesses = [`wkt_${"a".repeat(32)}`, entry.ticket.slice(0, -1) + (entry.ticket.endsWith("x") ? "y" : "x"), entryOf(mine).ticket];
  const { wakes, ended: gone } = await world.next(guesses, 0);
  expect(wakes).toEqual([]);
  expect(gone.map((each) => each.reason)).toEqual(expect.arrayContaining(["unknown", "unknown"]));
  expect((await world.next([entry.ticket])).wakes).toMatchObject([{ subscription: entry.id, payload: { status: "done" } }]);
  // And with its own key it ends just the one of its own: the request is good.
  expect(await raw.post("/event-subscriptions/end", { id: entryOf(mine).id })).toMatchObject({ status: 200, body: { ended: 1 } });
});

test("headers, _meta and arguments never say who the user is: identify does, and it decides whose the subscription is (seed-163)", async () => {
  const { world, ask } = await setup();
  const claims = { ...CODEX_META, user: "ada", "x-user-id": "ada", userId: "ada" };
  await ask("start_crawl", { user: "bob", meta: claims, args: { job: "claimed", harness: "codex", conversation_id: "ada" } });
  const [app] = await world.core.store.listApps();
  const stored = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
  expect(stored.find((each) => each.arguments.includes("claimed"))?.user).toBe("bob");
});
