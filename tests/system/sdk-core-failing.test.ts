import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";
import { startPeerCore } from "./sdk-support/peer-core.ts";
import { failOnUnhandledRejections } from "./sdk-support/unhandled-rejections.ts";
import { defineCrawlFinished } from "./sdk-support/wake-world.ts";

failOnUnhandledRejections();

const TIMEOUT_MS = 400;
/** What a busy machine may add to a bound. */
const SLACK_MS = 2_500;
/** One after the other, each as long as it may take, would be unmistakable. */
const MANY = 60;
const ok = { content: [{ type: "text", text: "ok" }] };

/** A listener that speaks no HTTP of its own: what it does with a connection is the fault under test. */
async function rawCore(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const onRequest = (answer: (socket: Socket) => void) => (socket: Socket) => void socket.once("data", () => answer(socket));
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

const FAULTS: Readonly<Record<string, { readonly core: () => Promise<string>; readonly code: unknown }>> = {
  "takes connections and never reads (half-open)": { core: () => rawCore((socket) => void socket.pause()), code: "unreachable" },
  "closes its side at once and keeps the other open": {
    core: () => rawCore(onRequest((socket) => void socket.end())),
    code: "unreachable",
  },
  "resets the connection in the middle of its answer": {
    core: () =>
      rawCore(
        onRequest((socket) => {
          socket.write(`${HEAD}content-length: 100\r\n\r\n{"events":`, () => socket.resetAndDestroy());
        }),
      ),
    code: "unreachable",
  },
  "ends its answer early": {
    core: () => rawCore(onRequest((socket) => void socket.end(`${HEAD}content-length: 100\r\n\r\n{"events":1`))),
    code: "unreachable",
  },
  "sends its headers byte by byte and never gets to their end": {
    core: () =>
      rawCore(
        onRequest((socket) => {
          socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
          const timer = setInterval(() => void socket.write("x"), 20);
          socket.on("close", () => clearInterval(timer));
        }),
      ),
    code: "unreachable",
  },
  "sends its body byte by byte without an end": {
    core: () =>
      rawCore(
        onRequest((socket) => {
          socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
          const timer = setInterval(() => void socket.write("1\r\n \r\n"), 20);
          socket.on("close", () => clearInterval(timer));
        }),
      ),
    code: "unreachable",
  },
  "speaks another protocol": {
    core: () => rawCore(onRequest((socket) => void socket.end("SSH-2.0-OpenSSH_9.6\r\n"))),
    code: "unreachable",
  },
  "sends broken chunks": {
    core: () => rawCore(onRequest((socket) => void socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\nno\r\n`))),
    code: "unreachable",
  },
  "says gzip and sends none": {
    core: () => rawCore(onRequest((socket) => void socket.end(`${HEAD}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`))),
    code: "unreachable",
  },
  "answers more than anyone should read": {
    core: () =>
      rawCore(
        onRequest((socket) => {
          socket.write(`${HEAD}content-length: 5000000\r\n\r\n`);
          socket.write("x".repeat(5_000_000));
        }),
      ),
    // A busy machine may take too long over so much.
    code: expect.stringMatching(/^(bad_response|unreachable)$/),
  },
  "answers with nothing": {
    core: () => rawCore(onRequest((socket) => void socket.end(`${HEAD}content-length: 0\r\n\r\n`))),
    code: "bad_response",
  },
  "answers bytes that are no text": {
    core: () =>
      rawCore(
        onRequest((socket) => {
          socket.write(`${HEAD}content-length: 4\r\n\r\n`);
          socket.end(Buffer.from([0xff, 0xfe, 0x00, 0x7b]));
        }),
      ),
    code: "bad_response",
  },
  "has a name nobody knows": { core: async () => "https://wakeshift.invalid", code: "unreachable" },
};

async function setup(core: string, timeoutMs = TIMEOUT_MS) {
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ key: formatAppKey(randomBytes(32)), core, timeoutMs, logger: (entry) => log.push(entry) });
  const crawlFinished = defineCrawlFinished(wake);
  wake.defineEvent("news.posted", { description: "News", args: z.object({}), payload: z.object({}), public: true });
  const subscribe = (): Promise<unknown> => wake.currentCall().subscribe(crawlFinished, { job: "1" });
  const caught: any[] = [];
  const many = (): Promise<unknown>[] =>
    Array.from({ length: MANY }, (_each, index) => wake.currentCall().subscribe(crawlFinished, { job: String(index) }));
  const server = makeHost("2.x McpServer", [
    { name: "plain", run: () => ok },
    {
      name: "caught",
      run: async () => {
        await subscribe().catch((error: unknown) => caught.push(error));
        return ok;
      },
    },
    { name: "thrown", run: async () => (await subscribe(), ok) },
    { name: "careless", run: () => (void subscribe(), ok) },
    {
      name: "many_caught",
      run: async () => {
        for (const settled of await Promise.allSettled(many())) if (settled.status === "rejected") caught.push(settled.reason);
        return ok;
      },
    },
    { name: "many_careless", run: () => (void many(), ok) },
    {
      name: "many_thrown",
      run: () => {
        void many();
        throw new Error("the handler's own");
      },
    },
    {
      name: "many_ended",
      run: async () => {
        void subscribe();
        const ending = Array.from({ length: MANY }, () => wake.currentCall().unsubscribe(crawlFinished, { job: "1" }));
        for (const settled of await Promise.allSettled(ending)) if (settled.status === "rejected") caught.push(settled.reason);
        return ok;
      },
    },
  ]);
  wake.attach(server, { wrap: (tool) => (tool === "plain" ? undefined : [crawlFinished]) });
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    const begun = performance.now();
    return [await work, performance.now() - begun];
  };
  const call = (name: string, args: object = {}): Promise<readonly [any, number]> => timed(link.client.callTool({ name, arguments: args }));
  return { wake, crawlFinished, client: link.client, caught, log, call, timed };
}

describe.each(Object.entries(FAULTS))("a core that %s", (_name, { core, code }) => {
  test("takes nothing else down: lists and other tools answer at once, subscribing tools and emits fail within the timeout", async () => {
    const { crawlFinished, client, caught, call, timed } = await setup(await core());
    const [, listing] = await timed(client.listTools());
    const [plain, plainly] = await call("plain", { session_key: "k" });
    expect(plain).toMatchObject(ok);
    // Neither asks a core at all.
    expect(Math.max(listing, plainly)).toBeLessThan(SLACK_MS);

    const [result, took] = await call("caught");
    expect(result).toMatchObject(ok);
    expect(caught).toMatchObject([{ name: "WakeshiftError", code }]);
    expect(took).toBeLessThan(TIMEOUT_MS + SLACK_MS);

    // A failed call is held once more, for the try to take back what may have been subscribed.
    const [thrown, held] = await call("thrown");
    expect(thrown).toMatchObject({ isError: true });
    expect(thrown._meta?.["ai.wakeshift/subscription"]).toBeUndefined();
    expect(held).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);

    const [careless, slowly] = await call("careless");
    expect(careless).toMatchObject(ok);
    expect(slowly).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);

    for (const [name, args] of [
      ["subscribe_events", { event: "news.posted" }],
      ["list_subscriptions", { session_key: `wsk_${"a".repeat(32)}` }],
      ["unsubscribe_events", { session_key: `wsk_${"a".repeat(32)}`, event: "news.posted" }],
    ] as const) {
      const [answer, took_] = await call(name, args);
      expect(answer).toMatchObject({ isError: true, content: [{ type: "text" }] });
      expect(took_).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
    }
    const [refused, emitting] = await timed(crawlFinished.emit({ job: "1" }, { status: "done" }).catch((error: unknown) => error));
    expect(refused).toMatchObject({ name: "WakeshiftError", code });
    expect(emitting).toBeLessThan(TIMEOUT_MS + SLACK_MS);
  });

  test("holds a call that asks much at once no longer than one that asks once, and keeps nothing of it", async () => {
    const { caught, call } = await setup(await core());
    const [result, took] = await call("many_caught");
    expect(result).toMatchObject(ok);
    expect(caught).toHaveLength(MANY);
    for (const error of caught) expect([code, "unreachable"]).toContainEqual(error.code);
    expect(took).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    // What nobody awaits, and what a call that fails has asked, may be waited for once more, to take it back.
    const [careless, slowly] = await call("many_careless");
    expect(careless).toMatchObject(ok);
    expect(careless._meta?.["ai.wakeshift/subscription"]).toBeUndefined();
    expect(slowly).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
    const [thrown, held] = await call("many_thrown");
    expect(thrown).toMatchObject({ isError: true, content: [{ text: "the handler's own" }] });
    expect(held).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
    const [ended, ending] = await call("many_ended", { session_key: `wsk_${"a".repeat(32)}` });
    expect(ended).toMatchObject(ok);
    expect(caught).toHaveLength(2 * MANY);
    expect(ending).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
  });

  test("holds many calls at once no longer than one, and none of them another tool", async () => {
    const { client, caught, call } = await setup(await core());
    const calls = Array.from({ length: 20 }, () => call("caught"));
    expect((await client.listTools()).tools).toHaveLength(11);
    const [plain] = await call("plain");
    expect(plain).toMatchObject(ok);
    for (const [result, took] of await Promise.all(calls)) {
      expect(result).toMatchObject(ok);
      expect(took).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    expect(caught).toHaveLength(20);
    for (const error of caught) expect(error.code).toEqual(code);
  });
});

test("a call that throws since the core never answers is held a second longer at most, to take back what may be there", async () => {
  const timeoutMs = 4_000;
  const { call } = await setup(await rawCore((socket) => void socket.pause()), timeoutMs);
  const [thrown, held] = await call("thrown");
  expect(thrown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("did not answer") }] });
  expect(held).toBeLessThan(timeoutMs + 1_000 + SLACK_MS);
});

test("a slow core's answers count while they come within the timeout, and publishing and subscribing share one", async () => {
  const peer = closedAfterTest(await startPeerCore());
  let delay = 20;
  peer.intercept = () => new Promise((resolve) => setTimeout(resolve, delay));
  const { caught, call, crawlFinished } = await setup(peer.url);
  const [quick] = await call("caught");
  expect(quick._meta["ai.wakeshift/subscription"]).toHaveLength(1);
  expect(caught).toEqual([]);
  delay = 10 * TIMEOUT_MS;
  const [slow, took] = await call("caught");
  expect(slow._meta?.["ai.wakeshift/subscription"]).toBeUndefined();
  expect(caught).toMatchObject([{ code: "unreachable" }]);
  expect(took).toBeLessThan(TIMEOUT_MS + SLACK_MS);
  await expect(crawlFinished.emit({ job: "1" }, { status: "done" })).rejects.toMatchObject({ code: "unreachable" });
});

test("a core that dies in the middle of a subscribe fails that subscribe; back again, it is told what to end, and serves", async () => {
  const first = await startPeerCore();
  const { port } = new URL(first.url);
  const { call, caught } = await setup(first.url);
  await call("caught");
  let died: Promise<void> | undefined;
  first.intercept = (request) => {
    if (request.path !== "/event-subscriptions") return;
    died = first.close();
    return true;
  };
  await call("caught");
  await died;
  expect(caught).toMatchObject([{ code: "unreachable" }]);
  const callId = first.to("/event-subscriptions").at(-1)?.body["call"].call_id;
  const second = closedAfterTest(await startPeerCore(Number(port)));
  // The first try failed; it is tried again by itself.
  await expect
    .poll(() => second.to("/event-subscriptions/rollback").map((request) => request.body["call_id"]), { timeout: 30_000 })
    .toEqual([callId]);
  const [again] = await call("caught");
  expect(again._meta["ai.wakeshift/subscription"]).toHaveLength(1);
});

test("of many subscribes nobody awaited, those the core got and never answered are ended, and the others never sent", async () => {
  const peer = closedAfterTest(await startPeerCore());
  peer.intercept = ({ path }) => path === "/event-subscriptions";
  const { call } = await setup(peer.url);
  const [result] = await call("many_careless");
  expect(result).toEqual(expect.objectContaining(ok));
  const sent = peer.to("/event-subscriptions").map((request) => request.body["call"].call_id);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThan(MANY);
  const ended = (): unknown[] => peer.to("/event-subscriptions/rollback").map((request) => request.body["call_id"]);
  await expect.poll(() => new Set(ended()), { timeout: 30_000 }).toEqual(new Set(sent));
});

test("a subscribe whose answer comes after the result has gone on is ended, and the log says so", async () => {
  const peer = closedAfterTest(await startPeerCore());
  const log: LogEntry[] = [];
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  // Heeds no signal, as a fetch of the author's own may.
  const slow = async (url: string, { signal: _ignored, ...request }: any): Promise<Response> => {
    const answer = await fetch(url, request);
    if (url.endsWith("/event-subscriptions")) await held;
    return answer;
  };
  const wake = new Wakeshift({
    key: formatAppKey(randomBytes(32)),
    core: peer.url,
    timeoutMs: TIMEOUT_MS,
    logger: (entry) => log.push(entry),
    fetch: slow,
  });
  const crawlFinished = defineCrawlFinished(wake);
  const server = makeHost("2.x McpServer", [
    { name: "careless", run: () => (void wake.currentCall().subscribe(crawlFinished, { job: "1" }), ok) },
  ]);
  wake.attach(server, { wrap: { careless: [crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  const result: any = await link.client.callTool({ name: "careless", arguments: {} });
  expect(result).toEqual(expect.objectContaining(ok));
  expect(result._meta?.["ai.wakeshift/subscription"]).toBeUndefined();
  release?.();
  const [callId] = peer.to("/event-subscriptions").map((request) => request.body["call"].call_id);
  await expect
    .poll(() => peer.to("/event-subscriptions/rollback").map((request) => request.body["call_id"]), { timeout: 30_000 })
    .toEqual([callId]);
  expect(log).toMatchObject([{ level: "warn", code: "subscribe_unfinished", tool: "careless" }]);
});
