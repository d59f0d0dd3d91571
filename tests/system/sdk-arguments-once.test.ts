import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { SubscribedNotice, UnsubscribedNotice } from "@wakeshift/sdk";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";

/** What an attacker sends: one reading of it is `secret%2Fx`, a reading of that is `secret/x`. */
const TWICE_ENCODED = "secret%252Fx";
const READ_ONCE = "secret%2Fx";
const REFUSED = "secret/x";

/** Ways an agent's call reaches the SDK. */
const WAYS = [...HOST_KINDS, "attachTools", "a definition of attachTools"] as const;
type Way = (typeof WAYS)[number];

/** An app whose arguments change each time the author's schema reads them, and whose `authorize` refuses `secret/x`. */
async function setup(way: Way) {
  const world = closedAfterTest(await startCoreWorld());
  const [read, asked]: [string[], unknown[]] = [[], []];
  const repoChanged = world.wake.defineEvent("repo.changed", {
    description: "A repository changed.",
    args: z.object({
      repo: z.string().transform((repo) => {
        read.push(repo);
        return decodeURIComponent(repo);
      }),
      branch: z.string().default("main"),
    }),
    payload: z.object({ status: z.string() }),
    text: (_payload, args) => JSON.stringify(args),
    authorize: (_subscriber, args) => {
      asked.push(args);
      return args.repo !== REFUSED;
    },
  });
  const [subscribed, unsubscribed]: [SubscribedNotice[], UnsubscribedNotice[]] = [[], []];
  const options = {
    wrap: { watch: [repoChanged], unwatch: [repoChanged] },
    onSubscribe: (notice: SubscribedNotice) => subscribed.push(notice),
    onUnsubscribe: (notice: UnsubscribedNotice) => unsubscribed.push(notice),
  };
  const run = async (tool: string, { repo }: any) => {
    const call = world.wake.currentCall();
    if (tool === "watch") await call.subscribe(repoChanged, { repo });
    return { content: [{ type: "text", text: tool === "watch" ? "watching" : String(await call.unsubscribe(repoChanged, { repo })) }] };
  };
  const call = await callerBy(way, world.wake, options, run);
  const stored = async (): Promise<unknown[]> => {
    const [app] = await world.core.store.listApps();
    const all = await world.core.store.listSubscriptions({ appId: app?.id ?? "" }, Date.now());
    return all.map((each) => JSON.parse(each.arguments));
  };
  return { world, repoChanged, read, asked, subscribed, unsubscribed, call, stored };
}

async function callerBy(
  way: Way,
  wake: any,
  options: any,
  run: (tool: string, args: any) => any,
): Promise<(name: string, args: object) => Promise<any>> {
  if (way === "attachTools" || way === "a definition of attachTools") {
    const tools = attachTools(wake, options);
    const dispatch = async (params: any): Promise<any> => run(params.name, params.arguments);
    return async (name, args) => {
      const definition = way === "attachTools" ? undefined : tools.builtins().find(({ metadata }) => metadata.name === name);
      if (definition !== undefined) return definition.handler(args as never, {});
      return tools.call({ name, arguments: args }, {}, dispatch);
    };
  }
  const input = z.object({ repo: z.string() });
  const server = makeHost(
    way,
    ["watch", "unwatch"].map((name) => ({ name, input, run: (args: any) => run(name, args) })),
  );
  wake.attach(server, options);
  const client = await openClient(way, server);
  return (name, args) => client.callTool({ name, arguments: args });
}

const MAIN = { repo: READ_ONCE, branch: "main" };
const entryOf = (result: any): any => result._meta[SUBSCRIPTION_META_KEY][0];
const sessionOf = (result: any): string => /wsk_\w{32}/.exec(JSON.stringify(result.content))?.[0] ?? "";

describe.each(WAYS)("by %s", (way) => {
  test("what authorize is asked is what subscribe_events subscribes, stores, shows and reports, and what is emitted to (seed-191)", async () => {
    const { call, read, asked, subscribed, stored, repoChanged } = await setup(way);
    const result = await call("subscribe_events", { event: "repo.changed", arguments: { repo: TWICE_ENCODED } });
    expect(read).toEqual([TWICE_ENCODED]);
    expect(asked).toEqual([MAIN]);
    expect(entryOf(result).arguments).toEqual(MAIN);
    expect(await stored()).toEqual([MAIN]);
    expect(subscribed.map((notice) => notice.args)).toEqual([MAIN]);
    expect(await repoChanged.emit({ repo: REFUSED }, { status: "for members only" })).toMatchObject({ matched: 0 });
    expect(await repoChanged.emit({ repo: TWICE_ENCODED }, { status: "for all" })).toMatchObject({ matched: 1 });
  });

  test("authorize refuses subscribe_events what it refuses to read (seed-191)", async () => {
    const { call, read, stored } = await setup(way);
    const result = await call("subscribe_events", { event: "repo.changed", arguments: { repo: READ_ONCE } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("was refused") }] });
    expect(read).toEqual([READ_ONCE]);
    expect(await stored()).toEqual([]);
  });

  test("call.subscribe and call.unsubscribe read arguments once, and store and report them as read", async () => {
    const { call, read, subscribed, unsubscribed, stored } = await setup(way);
    const result = await call("watch", { repo: TWICE_ENCODED });
    expect(entryOf(result).arguments).toEqual(MAIN);
    expect(await stored()).toEqual([MAIN]);
    expect(subscribed.map((notice) => notice.args)).toEqual([MAIN]);
    expect((await call("unwatch", { repo: TWICE_ENCODED, session_key: sessionOf(result) })).content[0].text).toBe("true");
    expect(unsubscribed.map((notice) => notice.args)).toEqual([MAIN]);
    expect(await stored()).toEqual([]);
    expect(read).toEqual([TWICE_ENCODED, TWICE_ENCODED]);
  });

  test("unsubscribe_events ends what the same arguments subscribed to, and reports them as read", async () => {
    const { call, read, unsubscribed, stored } = await setup(way);
    const arguments_ = { repo: TWICE_ENCODED };
    const result = await call("subscribe_events", { event: "repo.changed", arguments: arguments_ });
    read.length = 0;
    const ended = await call("unsubscribe_events", {
      event: "repo.changed",
      arguments: arguments_,
      session_key: sessionOf(result),
    });
    expect(ended.content[0].text).toBe("Ended 1 subscription.");
    expect(read).toEqual([TWICE_ENCODED]);
    expect(unsubscribed.map((notice) => notice.args)).toEqual([MAIN]);
    expect(await stored()).toEqual([]);
  });
});

test("emit reads arguments once, and its text sees them as they are stored and delivered", async () => {
  const { call, read, repoChanged, world } = await setup("2.x McpServer");
  const result = await call("subscribe_events", { event: "repo.changed", arguments: { repo: TWICE_ENCODED } });
  read.length = 0;
  await repoChanged.emit({ repo: TWICE_ENCODED, branch: "main" }, { status: "x" });
  expect(read).toEqual([TWICE_ENCODED]);
  const { wakes } = await world.next([entryOf(result).ticket]);
  expect(wakes).toMatchObject([{ arguments: MAIN, text: JSON.stringify(MAIN) }]);
});

test("unsubscribe_events refuses arguments its event doesn't take, and those of an event that isn't defined", async () => {
  const { call, unsubscribed } = await setup("2.x McpServer");
  const result = await call("subscribe_events", { event: "repo.changed", arguments: { repo: TWICE_ENCODED } });
  const session_key = sessionOf(result);
  for (const [given, text] of [
    [{ event: "repo.changed", arguments: { repo: 5 } }, "repo"],
    [{ event: "repo.renamed", arguments: { repo: "a" } }, "by its id"],
  ] as const) {
    const refused = await call("unsubscribe_events", { ...given, session_key });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(text) }] });
  }
  expect(unsubscribed).toEqual([]);
  expect((await call("unsubscribe_events", { event: "repo.changed", session_key })).content[0].text).toBe("Ended 1 subscription.");
});

test("a schema that throws on what it is given refuses that, by the error's type and without its message (seed-201)", async () => {
  const { call, repoChanged, stored } = await setup("2.x McpServer");
  const refused = await call("subscribe_events", { event: "repo.changed", arguments: { repo: "%" } });
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("URIError") }] });
  expect(await stored()).toEqual([]);
  const emitted = repoChanged.emit({ repo: "%" }, { status: "x" });
  await expect(emitted).rejects.toMatchObject({
    code: "bad_arguments",
    message: expect.not.stringContaining("malformed"),
    cause: expect.any(URIError),
  });
});
