import { randomBytes } from "node:crypto";
import { SUBSCRIPTION_META_KEY, formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry, WakeshiftOptions } from "@wakeshift/sdk";
import { attachTools } from "@wakeshift/sdk/tools";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, makeHost } from "./sdk-support/hosts.ts";
import { startPeerCore } from "./sdk-support/peer-core.ts";
import { failOnUnhandledRejections } from "./sdk-support/unhandled-rejections.ts";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";

failOnUnhandledRejections();

const TIMEOUT_MS = 300;
const SESSION = `wsk_${"a".repeat(32)}`;
const ok = { content: [{ type: "text", text: "ok" }] };

/** The author's own code that answers when the test says so, or never. */
function silent<T>() {
  const asked: { resolve: (value: T) => void; reject: (error: unknown) => void }[] = [];
  return { asked, ask: () => new Promise<T>((resolve, reject) => asked.push({ resolve, reject })) };
}

async function app(options: Partial<WakeshiftOptions> = {}) {
  const peer = closedAfterTest(await startPeerCore());
  const log: LogEntry[] = [];
  const logger = (entry: LogEntry): void => void log.push(entry);
  const wake = new Wakeshift({ key: formatAppKey(randomBytes(32)), core: peer.url, timeoutMs: TIMEOUT_MS, logger, ...options });
  const crawlFinished = defineCrawlFinished(wake);
  wake.defineEvent("news.posted", { description: "News", args: z.object({}), payload: z.object({}), public: true });
  const caught: any[] = [];
  const tools: Readonly<Record<string, () => unknown>> = {
    plain: () => ok,
    watch: async () => {
      const call = wake.currentCall();
      caught.push(await call.subscribe(crawlFinished, { job: "1" }).catch((error: unknown) => error));
      caught.push(await call.unsubscribe(crawlFinished, { job: "1" }).catch((error: unknown) => error));
      return ok;
    },
    careless: () => (void wake.currentCall().subscribe(crawlFinished, { job: "1" }), ok),
  };
  return { peer, log, wake, crawlFinished, caught, tools };
}

type App = Awaited<ReturnType<typeof app>>;
type Identify = () => Promise<{ user: string }>;

/** Ways to serve the same tools: each answers how they are called. */
const SERVED: Readonly<Record<string, (made: App, identify: Identify) => Promise<(name: string, args?: object) => Promise<any>>>> = {
  ...Object.fromEntries(
    HOST_KINDS.map((kind) => [
      kind,
      async ({ wake, crawlFinished, tools }: App, identify: Identify) => {
        const server = makeHost(
          kind,
          Object.entries(tools).map(([name, run]) => ({ name, run })),
        );
        wake.attach(server, { wrap: (tool) => (tool === "plain" ? undefined : [crawlFinished]), identify });
        const client = await openClient(kind, server);
        return (name: string, args: object = {}) => client.callTool({ name, arguments: args });
      },
    ]),
  ),
  attachTools: async ({ wake, crawlFinished, tools }, identify) => {
    const attached = attachTools(wake, { wrap: { watch: [crawlFinished], careless: [crawlFinished] }, identify });
    return (name, args = {}) => attached.call({ name, arguments: args }, {}, () => tools[name]?.());
  },
};

describe.each(Object.entries(SERVED))("an identify that never answers, on %s", (_kind, serve) => {
  test("fails what needed it with identify_failed within timeoutMs, and nothing else", async () => {
    const made = await app();
    const { asked, ask } = silent<{ user: string }>();
    const call = await serve(made, ask);
    expect(await call("watch", { session_key: SESSION })).toMatchObject(ok);
    expect(made.caught).toMatchObject([
      {
        code: "identify_failed",
        retryable: true,
        message: expect.stringMatching(/within 300 ms.*timeoutMs/),
        cause: { name: "TimeoutError" },
      },
      { code: "identify_failed" },
    ]);
    // Once a call, as one that answers.
    expect(asked).toHaveLength(1);
    for (const [name, args] of [
      ["subscribe_events", { event: "news.posted" }],
      ["list_subscriptions", { session_key: SESSION }],
      ["unsubscribe_events", { session_key: SESSION, event: "news.posted" }],
    ] as const) {
      expect(await call(name, args)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("identify") }] });
      expect(made.log.at(-1)).toMatchObject({ level: "warn", code: "identify_failed", tool: name, error: "TimeoutError" });
    }
    expect(await call("plain")).toMatchObject(ok);
    // Neither answer counts any more.
    asked[0]?.resolve({ user: "ann" });
    asked[1]?.reject(new Error("down"));
    expect(made.peer.requests).toEqual([]);
  });

  test("holds a call that doesn't await no longer, and is logged", async () => {
    const made = await app();
    const call = await serve(made, silent<{ user: string }>().ask);
    const result = await call("careless");
    expect(result).toMatchObject(ok);
    expect(result._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    expect(made.log).toMatchObject([
      { level: "warn", code: expect.stringMatching(/^(request_failed|subscribe_unfinished)$/), tool: "careless" },
    ]);
    expect(made.peer.requests).toEqual([]);
  });

  test("is followed by calls that work, once it answers again", async () => {
    const made = await app({ timeoutMs: 20_000 });
    const { asked, ask } = silent<{ user: string }>();
    const call = await serve(made, ask);
    const watching = call("careless");
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    asked[0]?.resolve({ user: "ann" });
    expect((await watching)._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    expect(made.peer.to("/event-subscriptions")).toMatchObject([{ body: { call: { user: "ann" } } }]);
    expect(made.log).toEqual([]);
  });
});

test("what fails while its call's result already waits is logged, since whoever asked no longer hears of it", async () => {
  const made = await app();
  made.peer.intercept = ({ path }, response) => {
    if (path !== "/event-subscriptions") return false;
    response
      .writeHead(429, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { code: "rate_limited", message: "Slower." } }));
    return true;
  };
  const call = await SERVED["2.x McpServer"]?.(made, async () => ({ user: "ann" }));
  expect(await call?.("careless")).toMatchObject(ok);
  expect(made.log).toMatchObject([
    { level: "warn", code: "request_failed", request: "subscribe", tool: "careless", error: "rate_limited" },
  ]);
  await call?.("careless");
  expect(made.log).toHaveLength(1);
});

test("a fetch of the author's own that never answers and heeds no signal fails every request within timeoutMs", async () => {
  const made = await app({ fetch: () => new Promise<never>(() => undefined) });
  const call = await SERVED["2.x McpServer"]?.(made, async () => ({ user: "ann" }));
  expect(await call?.("watch", { session_key: SESSION })).toMatchObject(ok);
  expect(made.caught).toMatchObject([{ code: "unreachable" }, { code: "unreachable" }]);
  expect(await call?.("list_subscriptions", { session_key: SESSION })).toMatchObject({ isError: true });
  for (const asked of [
    made.crawlFinished.emit({ job: "1" }, { status: "done" }),
    made.wake.end({ user: "ann" }),
    made.wake.forgetUser("ann"),
  ])
    await expect(asked).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining("in time") });
});
