import { randomBytes } from "node:crypto";
import { LIMITS } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const HOLDER = "a-bridge";
/** Has the form of a ticket, and was never issued. */
const foreign = (): string => `wkt_${randomBytes(16).toString("hex")}`;

const next = (world: CoreWorld, tickets: readonly string[], waitMs: number, holder = HOLDER): ReturnType<CoreWorld["fetchJson"]> =>
  world.fetchJson("POST", "/api/wakes/v1/next", { holder, tickets, wait_ms: waitMs });

describe("without a live ticket nobody waits", () => {
  test("a stream is told what became of its tickets and when to come back, and ends", async () => {
    const world = await startWorld();
    for (const tickets of [[], ["nonsense"], [foreign(), foreign()]]) {
      const stream = await WakeStream.open(world.url, HOLDER, tickets);
      await stream.ended;
      expect(stream.of("ended").map(({ reason }) => reason as string)).toEqual(tickets.map(() => "unknown"));
      expect(stream.of("retry")).toEqual([{ retry_ms: expect.any(Number) as number }]);
      expect(stream.of("retry")[0].retry_ms).toBeGreaterThanOrEqual(1_000);
      expect(stream.of("ready")).toEqual([]);
    }
  });

  test("a long poll is answered at once, with a time to come back", async () => {
    const world = await startWorld();
    for (const tickets of [[], [foreign()]]) {
      const started = performance.now();
      const { body } = await next(world, tickets, LIMITS.waitMaxMs);
      expect(performance.now() - started).toBeLessThan(LIMITS.waitMaxMs / 2);
      expect(body.ended).toHaveLength(tickets.length);
      expect(body.retry_ms).toBeGreaterThanOrEqual(1_000);
    }
  });

  test("a stream whose last live ticket ends is over, and one with another goes on", async () => {
    const world = await startWorld();
    const [one, other] = [await subscribe(world.app, { arguments: { job: "a" } }), await subscribe(world.app, { arguments: { job: "b" } })];
    const alone = await (await WakeStream.open(world.url, HOLDER, [one.ticket])).untilReady();
    const both = await (await WakeStream.open(world.url, HOLDER, [one.ticket, other.ticket])).untilReady();
    await world.fetchJson("POST", "/api/wakes/v1/end", { holder: HOLDER, tickets: [one.ticket] });
    await alone.ended;
    expect([alone.of("ended")[0].reason, alone.of("retry").length]).toEqual(["unsubscribed", 1]);
    await emit(world.app, { arguments: { job: "b" } });
    expect(await both.wakes()).toHaveLength(1);
    expect(both.of("retry")).toEqual([]);
  });

  test("streams for nobody, four times as many as the core has places, keep no bridge out", async () => {
    const world = await startWorld({ maxStreams: 20 });
    const { ticket } = await subscribe(world.app);
    const strangers = await Promise.all(
      Array.from({ length: 80 }, () => WakeStream.open(world.url, randomBytes(8).toString("hex"), [foreign()])),
    );
    const bridge = await WakeStream.open(world.url, HOLDER, [ticket]);
    await Promise.all(strangers.map((stream) => stream.ended));
    const stream = bridge.response.status === 200 ? bridge : await WakeStream.open(world.url, HOLDER, [ticket]);
    await stream.untilReady();
  });
});

test("one holder has its share of streams and long polls, and another one is served beside it", async () => {
  const world = await startWorld();
  const { ticket } = await subscribe(world.app);
  const { ticket: others } = await subscribe(world.app, { arguments: { job: "b" } });
  const open = [];
  for (let count = 0; count < LIMITS.streamsPerHolder; count += 1)
    open.push(await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady());
  const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
  const poll = await next(world, [ticket], 0);
  expect([stream.response.status, poll.status, poll.body.error.code]).toEqual([429, 429, "rate_limited"]);
  expect(Number(poll.headers.get("retry-after"))).toBeGreaterThan(0);
  await (await WakeStream.open(world.url, "another", [others])).untilReady();
  for (const one of open) one.close();
});

test("one address behind a trusted proxy has its share of places, and another one is served beside it", async () => {
  const world = await startWorld({ trustedProxies: ["127.0.0.1"], maxStreamsPerAddress: 2 });
  const { ticket } = await subscribe(world.app);
  const from = (address: string): Record<string, string> => ({ "X-Forwarded-For": `6.6.6.6, ${address}` });
  const open = (address: string, holder = HOLDER): Promise<WakeStream> => WakeStream.open(world.url, holder, [ticket], from(address));
  const poll = (address: string): ReturnType<CoreWorld["fetchJson"]> =>
    world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 0 }, from(address));
  const [one, two] = [await (await open("203.0.113.1")).untilReady(), await (await open("203.0.113.1")).untilReady()];
  const [stream, polled] = [await open("203.0.113.1", "another"), await poll("203.0.113.1")];
  expect([stream.response.status, polled.status, polled.body.error?.code]).toEqual([429, 429, "rate_limited"]);
  expect(polled.body.error.message).toContain("from your address");
  expect((await poll("203.0.113.2")).status).toBe(200);
  one.close();
  await expect.poll(async () => (await poll("203.0.113.1")).status, { timeout: 20_000 }).toBe(200);
  two.close();
});

test("without a trusted proxy a forwarded address counts for nothing, so that nobody takes another's places", async () => {
  const world = await startWorld({ maxStreamsPerAddress: 1 });
  const { ticket } = await subscribe(world.app);
  const open = (): Promise<WakeStream> => WakeStream.open(world.url, HOLDER, [ticket], { "X-Forwarded-For": "203.0.113.1" });
  const [one, two] = [await (await open()).untilReady(), await (await open()).untilReady()];
  expect([one.response.status, two.response.status]).toEqual([200, 200]);
  one.close();
  two.close();
});

test("an address that asks about thousands of unknown tickets is refused for seconds before its bodies are read, by every call; another isn't", async () => {
  const world = await startWorld({ trustedProxies: ["127.0.0.1"] });
  const kept = await subscribe(world.app);
  const dead = (): string[] => Array.from({ length: 500 }, () => foreign());
  const ask = (path: string, body: object, address: string): Promise<any> =>
    world.fetchJson("POST", `/api/wakes/v1${path}`, body, { "X-Forwarded-For": address });
  const [stranger, other] = ["192.0.2.1", "192.0.2.2"];
  for (let asked = 0; asked < 10; asked += 1)
    expect((await ask("/next", { holder: "stranger", tickets: dead() }, stranger)).status).toBe(200);
  for (const [path, body] of [
    ["/next", { holder: "stranger", tickets: [] }],
    ["/stream", { holder: "stranger", tickets: dead() }],
    ["/ack", { holder: "stranger", acks: [] }],
    ["/end", { holder: "stranger", tickets: [] }],
    ["/next", "not JSON"],
  ] as const) {
    const refused = await ask(path, body as object, stranger);
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  await emit(world.app);
  expect((await ask("/next", { holder: "a bridge", tickets: [kept.ticket] }, other)).body.wakes).toHaveLength(1);
});
