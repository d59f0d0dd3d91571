import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { closedAfterTest, openClient } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";
import { startPeerCore } from "./sdk-support/peer-core.ts";
import type { PeerCore } from "./sdk-support/peer-core.ts";
import { failOnUnhandledRejections } from "./sdk-support/unhandled-rejections.ts";
import { defineCrawlFinished, startWakeWorld } from "./sdk-support/wake-world.ts";

failOnUnhandledRejections();

/** For a core that never answers: well under what is waited by default. */
const SHORT_MS = 400;
const LONG_MS = 20_000;
/** One after the other, each as long as it may take, would be unmistakable. */
const MANY = 60;
const ok = { content: [{ type: "text", text: "ok" }] };

/** A port nobody listens on. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function setup(core: string, timeoutMs = LONG_MS) {
  const key = formatAppKey(randomBytes(32));
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ key, core, timeoutMs, logger: (entry) => log.push(entry) });
  const crawlFinished = defineCrawlFinished(wake);
  const errors: any[] = [];
  const server = makeHost("2.x McpServer", [
    { name: "plain", run: () => ok },
    {
      name: "start_crawl",
      run: async () => {
        errors.push(
          await wake
            .currentCall()
            .subscribe(crawlFinished, { job: "1" })
            .catch((error: unknown) => error),
        );
        return ok;
      },
    },
    {
      name: "many",
      run: async () => {
        const jobs = Array.from({ length: MANY }, (_each, index) => String(index));
        errors.push(...(await Promise.allSettled(jobs.map((job) => wake.currentCall().subscribe(crawlFinished, { job })))));
        return ok;
      },
    },
    { name: "careless", run: () => (void wake.currentCall().subscribe(crawlFinished, { job: "1" }), ok) },
  ]);
  wake.attach(server, { wrap: { start_crawl: [crawlFinished], many: [crawlFinished], careless: [crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  return { wake, crawlFinished, client: link.client, errors, log, key };
}

async function bad(answer: Exclude<PeerCore["intercept"], undefined>): Promise<string> {
  const peer = closedAfterTest(await startPeerCore());
  peer.intercept = answer;
  return peer.url;
}

const AWAY: Readonly<Record<string, { readonly core: () => Promise<string>; readonly code: string; readonly timeoutMs?: number }>> = {
  "isn't running": { core: async () => `http://127.0.0.1:${String(await deadPort())}`, code: "unreachable" },
  "never answers": { core: () => bad(() => true), code: "unreachable", timeoutMs: SHORT_MS },
  "begins to answer and stops": {
    core: () => bad((_request, response) => (response.writeHead(200).write('{"a":'), true)),
    code: "unreachable",
    timeoutMs: SHORT_MS,
  },
  "drops the connection": { core: () => bad((_request, response) => (response.destroy(), true)), code: "unreachable" },
  "answers HTML": {
    core: () =>
      bad((_request, response) => (response.writeHead(200, { "content-type": "text/html" }).end("<html>a login page</html>"), true)),
    code: "bad_response",
  },
  "answers 502 with HTML": { core: () => bad((_request, response) => (response.writeHead(502).end("<html>"), true)), code: "bad_response" },
  redirects: {
    core: () => bad((_request, response) => (response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), true)),
    code: "bad_response",
  },
  "answers a list": { core: () => bad((_request, response) => (response.writeHead(200).end("[]"), true)), code: "bad_response" },
  "answers an error of its own kind": {
    core: () => bad((_request, response) => (response.writeHead(500).end('{"error":"x"}'), true)),
    code: "bad_response",
  },
  "is full": {
    core: () =>
      bad((_request, response) => (response.writeHead(503).end('{"error":{"code":"storage_full","message":"The disk is full."}}'), true)),
    code: "storage_full",
  },
  "knows a newer code": {
    core: () =>
      bad((_request, response) => (response.writeHead(409).end('{"error":{"code":"brand_new","message":"Something new."}}'), true)),
    code: "bad_response",
  },
};

describe.each(Object.entries(AWAY))("where the core %s", (_name, { core, code, timeoutMs }) => {
  test("subscribe and emit reject in time, other tools and the list go on, and nothing is left unhandled", async () => {
    const { wake, client, errors, crawlFinished, log, key } = await setup(await core(), timeoutMs);
    // Nobody awaits these.
    void crawlFinished.emit({ job: "1" }, { status: "done" });
    void wake.end({ event: crawlFinished });
    void wake.forgetUser("ada");
    expect((await client.listTools()).tools).toHaveLength(6);
    expect(await client.callTool({ name: "plain", arguments: { session_key: "k" } })).toMatchObject(ok);
    const begun = performance.now();
    expect(await client.callTool({ name: "start_crawl", arguments: {} })).toEqual(expect.objectContaining(ok));
    expect(errors).toEqual([expect.objectContaining({ code })]);
    const emit = await crawlFinished.emit({ job: "1" }, { status: "done" }).catch((error: unknown) => error);
    expect(emit).toMatchObject({ code, name: "WakeshiftError" });
    expect(await client.callTool({ name: "careless", arguments: {} })).toMatchObject(ok);
    // Three calls with the default of 5 s each would take longer than this.
    expect(performance.now() - begun).toBeLessThan(14_000);
    const failed = (): unknown[] =>
      log
        .filter((entry) => entry.code === "request_failed" && entry["request"] !== "subscribe")
        .map(({ request, error }) => [request, error]);
    await expect
      .poll(() => new Set(failed().map(String)), { timeout: LONG_MS })
      .toEqual(new Set([`emit,${code}`, `end,${code}`, `forgetUser,${code}`]));
    expect(failed()).toHaveLength(3);
    // What the careless call had asked failed before its result was held no longer, or had not by then.
    expect(log.filter(({ tool }) => tool === "careless").map((entry) => [entry.code, entry["error"]])).toEqual([
      expect.toBeOneOf([
        ["request_failed", code],
        ["subscribe_unfinished", undefined],
      ]),
    ]);
    const told = JSON.stringify([log, errors.map((error) => [error.message, String(error.stack), String(error.cause?.stack)])]);
    expect(told).not.toContain(key);
    expect(told).not.toMatch(/Bearer|eyJ/);
  });
});

test.each(Object.entries(AWAY).filter(([, { timeoutMs }]) => timeoutMs !== undefined))(
  "where the core %s, many subscribes of one call reject in the time of one",
  async (_name, { core, code, timeoutMs }) => {
    const { client, errors } = await setup(await core(), timeoutMs);
    const begun = performance.now();
    expect(await client.callTool({ name: "many", arguments: {} })).toEqual(expect.objectContaining(ok));
    expect(errors).toHaveLength(MANY);
    for (const settled of errors) expect(settled).toMatchObject({ status: "rejected", reason: { code } });
    expect(performance.now() - begun).toBeLessThan(SHORT_MS * 10);
  },
);

test("goes on by itself once the core is back, and publishes then", async () => {
  const port = await deadPort();
  const { client, errors, crawlFinished, log } = await setup(`http://127.0.0.1:${String(port)}`);
  await client.callTool({ name: "start_crawl", arguments: {} });
  expect(errors.pop()).toMatchObject({ code: "unreachable" });
  expect(log.map((entry) => entry.code)).toContain("manifest_failed");
  const peer = closedAfterTest(await startPeerCore(port));
  await client.callTool({ name: "start_crawl", arguments: {} });
  expect(errors.pop()).toMatchObject({ state: "subscribed" });
  expect(await crawlFinished.emit({ job: "1" }, { status: "done" })).toMatchObject({ matched: 1 });
  expect(peer.to("/manifest")).toHaveLength(1);
});

test("a tool that fails while the core is away is told to its author, once until it goes well again: only the agent hears of it otherwise", async () => {
  const { wake, log, crawlFinished, peer } = closedAfterTest(await startWakeWorld());
  const server = makeHost("2.x McpServer", [
    { name: "trusting", run: async () => (await wake.currentCall().subscribe(crawlFinished, { job: "1" }), ok) },
    { name: "forgetful", run: async () => (await wake.currentCall().unsubscribe(crawlFinished, { job: "1" }), ok) },
  ]);
  wake.attach(server, { wrap: () => [crawlFinished] });
  const client = await openClient("2.x McpServer", server);
  const told = (): unknown[][] => log.map(({ code, request, event, tool, error }) => [code, request, event, tool, error]);
  expect((await client.callTool({ name: "trusting", arguments: {} })).isError).not.toBe(true);
  expect(log).toEqual([]);
  await peer.close();
  for (const name of ["trusting", "trusting", "forgetful", "forgetful"])
    expect(await client.callTool({ name, arguments: { session_key: `wsk_${"a".repeat(32)}` } })).toMatchObject({ isError: true });
  expect(told()).toEqual([
    ["request_failed", "subscribe", "crawl.finished", "trusting", "unreachable"],
    ["request_failed", "unsubscribe", "crawl.finished", "forgetful", "unreachable"],
  ]);
  expect(log[0]?.message).toMatch(
    /^subscribe of crawl\.finished in trusting failed.*can't be reached.*Is it running, and is WAKESHIFT_CORE/,
  );
  const back = closedAfterTest(await startPeerCore(Number(new URL(peer.url).port)));
  expect((await client.callTool({ name: "trusting", arguments: {} })).isError).not.toBe(true);
  await back.close();
  expect(await client.callTool({ name: "trusting", arguments: {} })).toMatchObject({ isError: true });
  expect(told().filter((line: any) => line[1] === "subscribe")).toHaveLength(2);
});

test("tries once more where the core surely didn't get the request", async () => {
  // Between the two tries a core starts. On a busy machine it may start too late: then another pair of tries is looked at.
  for (let round = 0; round < 20; round += 1) {
    const port = await deadPort();
    const { crawlFinished } = await setup(`http://127.0.0.1:${String(port)}`);
    const emitting = crawlFinished.emit({ job: "1" }, { status: "done" }).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const peer = closedAfterTest(await startPeerCore(port));
    const outcome: any = await emitting;
    if (outcome.id !== "evt_1") continue;
    expect(peer.to("/manifest")).toHaveLength(1);
    return;
  }
  throw new Error("no second try was ever seen");
});

test("never tries again where the core may have got the request", async () => {
  const peer = closedAfterTest(await startPeerCore());
  const { crawlFinished } = await setup(peer.url);
  peer.intercept = (request, response) => request.path === "/events/emit" && (response.destroy(), true);
  await expect(crawlFinished.emit({ job: "1" }, { status: "done" })).rejects.toMatchObject({ code: "unreachable" });
  expect(peer.to("/events/emit")).toHaveLength(1);
});

test("works without a key, but for calls to the core, which say how to get one, as the log does once when a server is attached", async () => {
  vi.stubEnv("WAKESHIFT_KEY", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const peer = closedAfterTest(await startPeerCore());
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ core: peer.url, logger: (entry) => log.push(entry) });
  const crawlFinished = defineCrawlFinished(wake);
  expect(log).toEqual([]);
  const server = makeHost("2.x McpServer", [{ name: "plain", run: () => ok }]);
  wake.attach(server);
  wake.attach(makeHost("2.x McpServer", []));
  expect(log).toMatchObject([{ level: "warn", code: "no_key", message: expect.stringContaining("WAKESHIFT_KEY") }]);
  const link = closedAfterTest(await inMemory("2.x McpServer", () => server, 2));
  expect((await link.client.listTools()).tools).toHaveLength(3);
  const refused = await crawlFinished.emit({ job: "1" }, { status: "done" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "no_key" });
  expect((refused as Error).message).toMatch(/WAKESHIFT_KEY.*npx wakeshift app create/);
  expect(peer.requests).toEqual([]);
});

test("reads key and core from the environment (seed-5)", async () => {
  const peer = closedAfterTest(await startPeerCore());
  vi.stubEnv("WAKESHIFT_KEY", formatAppKey(randomBytes(32)));
  vi.stubEnv("WAKESHIFT_CORE", `${peer.url}/`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const wake = new Wakeshift();
  expect(await defineCrawlFinished(wake).emit({ job: "1" }, { status: "done" })).toMatchObject({ duplicate: false });
});

test("attaching and listing send nothing", async () => {
  const peer = closedAfterTest(await startPeerCore());
  const { client } = await setup(peer.url);
  await client.listTools();
  await client.callTool({ name: "plain", arguments: { session_key: "k" } });
  expect(peer.requests).toEqual([]);
});

test("sends a fresh assertion with every request, and never the key", async () => {
  const peer = closedAfterTest(await startPeerCore());
  const { crawlFinished, key } = await setup(peer.url);
  await crawlFinished.emit({ job: "1" }, { status: "done" });
  await crawlFinished.emit({ job: "2" }, { status: "done" });
  const assertions = peer.requests.map((request) => request.authorization);
  expect(new Set(assertions).size).toBe(3);
  for (const assertion of assertions) {
    const [header, claims] = assertion
      .replace("Bearer ", "")
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "EdDSA", typ: "app+jwt", kid: expect.stringMatching(/^[\w-]{22}$/) });
    expect(claims).toEqual({
      iss: header.kid,
      sub: header.kid,
      aud: `${peer.url}/api/apps`,
      iat: expect.any(Number),
      exp: claims.iat + 120,
      jti: expect.any(String),
      req: expect.stringMatching(/^[\w-]{43}$/),
    });
  }
  expect(JSON.stringify(peer.requests)).not.toContain(key);
});
