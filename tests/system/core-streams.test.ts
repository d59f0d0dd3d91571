import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startCuttingRelay } from "./core-support/cutting-relay.ts";
import { CRAWL, emit, FREE, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld, Subscribed } from "./core-support/core-world.ts";
import { quickest } from "./core-support/quickest.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const HOLDER = "holder-of-this-test";

async function ack(world: CoreWorld, ticket: string, occurrence: string, holder = HOLDER): Promise<string> {
  const { body } = await world.fetchJson("POST", "/api/wakes/v1/ack", { holder, acks: [{ ticket, occurrence, state: "handed" }] });
  return body.acks[0].result;
}

describe("PC-31 a stream asks every proxy not to hold it back", () => {
  test("by its headers", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const stream = await WakeStream.open(world.url, HOLDER, [ticket], { "Accept-Encoding": "gzip, br" });
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no");
    expect(stream.response.headers.get("cache-control")).toBe("no-store, no-transform");
    expect(stream.response.headers.get("content-encoding")).toBe("identity");
    stream.close();
  });
});

describe("PC-35 text that imitates the stream's own frames", () => {
  test("comes as one wake with a deep-equal payload, also when every byte comes alone", async () => {
    const world = await startWorld();
    const port = await startCuttingRelay(world.core.port);
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const text = "a\rb\r\n\r\nevent: ended\r\ndata: {}\r\n\r\n\u2028c\u2029d\u0085e 👩‍👩‍👧 \ufeff é ਗੁਰ";
    const payload = { text, nested: { [text]: [text, null, 1e21, -0.5, "\u007f"] } };
    await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload, text });
    const bytes = await rawStream(port, world.core.port, ticket, 2);
    const lines = bytes.toString("latin1").split("\n");

    expect(bytes.toString("latin1")).toMatch(/^[\x0a\x0d\x20-\x7e]*$/);
    expect(lines.filter((line) => line.startsWith("event: ended"))).toEqual([]);
    const [data] = lines.filter((line) => line.startsWith('data: {"subscription"'));
    expect(JSON.parse(data?.slice(6) ?? "")).toMatchObject({ text, payload });
    const stream = await WakeStream.open(`http://127.0.0.1:${port}`, "another", [ticket], { Host: `127.0.0.1:${world.core.port}` }).catch(
      () => undefined,
    );
    stream?.close();
  });

  test("and so it does for a reader of event streams", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const stream = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const text = "\r\nevent: ended\r\ndata: {}\r\n\r\n\u2028\u0085🎉";
    await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: { text }, text });
    expect(await stream.wakes()).toMatchObject([{ text, payload: { text } }]);
    expect(stream.of("ended")).toEqual([]);
    stream.close();
  });
});

/** Reads a stream's raw bytes through the relay until so many messages (`ready`, `wake`, …) are there. */
function rawStream(port: number, corePort: number, ticket: string, messages: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const body = JSON.stringify({ holder: HOLDER, tickets: [ticket] });
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `POST /api/wakes/v1/stream HTTP/1.0\r\nHost: 127.0.0.1:${corePort}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
    socket.on("data", (chunk) => {
      got = Buffer.concat([got, chunk]);
      if (got.toString("latin1").split("\n\n").length - 1 < messages) return;
      socket.destroy();
      resolve(got);
    });
    socket.on("error", reject);
  });
}

describe("PC-34 streams that drop and come back", () => {
  test("each sees only its own, acked ids are emitted ids, and nothing acked is offered again", { timeout: 120_000 }, async () => {
    const world = await startWorld();
    const bridges = [
      { ...(await subscribe(world.app, { arguments: { job: "a" } })), job: "a", holder: "bridge-a" },
      { ...(await subscribe(world.app, { arguments: { job: "b" } })), job: "b", holder: "bridge-b" },
    ];
    const emitted: Record<string, string[]> = { a: [], b: [] };
    let over = false;
    const emitting = Promise.all(
      ["a", "b"].map(async (job) => {
        for (let n = 0; n < 100; n += 1) {
          emitted[job]?.push(await emit(world.app, { arguments: { job }, payload: { status: "done", note: String(n) } }));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }),
    ).then(() => (over = true));
    const results = await Promise.all(
      bridges.map((bridge, index) => ride(bridge, ["abc", "1".padEnd(30, "0"), `evt_${"0".repeat(32)}`, String(index)])),
    );
    await emitting;
    for (const [index, result] of results.entries()) {
      const job = index === 0 ? "a" : "b";
      expect([...result.acked].sort()).toEqual([...(emitted[job] ?? [])].sort());
      expect(result.foreign).toEqual([]);
      expect(result.again).toEqual([]);
    }

    interface Ride {
      readonly acked: Set<string>;
      readonly foreign: string[];
      readonly again: string[];
    }

    /** Opens the stream again and again, a hundred times, dropping it after a random number of wakes. */
    async function ride(bridge: (typeof bridges)[number], oddIds: readonly string[]): Promise<Ride> {
      const acked = new Set<string>();
      const foreign: string[] = [];
      const again: string[] = [];
      for (let drop = 0; drop < 100 || !over || acked.size < (emitted[bridge.job]?.length ?? 0); drop += 1) {
        if (drop > 2_000) throw new Error("it never came to an end");
        const stream = await WakeStream.open(world.url, bridge.holder, [bridge.ticket], {
          "Last-Event-ID": oddIds[drop % oddIds.length] ?? "",
        });
        await stream.until(() => stream.of("ready").length > 0, 20_000);
        const deadline = Date.now() + Math.random() * 40;
        let taken = 0;
        while (Date.now() < deadline || (stream.of("wake").length > taken && Math.random() < 0.9)) {
          const wake = stream.of("wake")[taken];
          if (wake === undefined) {
            await new Promise((resolve) => setTimeout(resolve, 2));
            continue;
          }
          taken += 1;
          if (wake.arguments.job !== bridge.job || wake.subscription !== bridge.id) foreign.push(wake.occurrence);
          if (acked.has(wake.occurrence)) again.push(wake.occurrence);
          if ((await ack(world, bridge.ticket, wake.occurrence, bridge.holder)) === "ok") acked.add(wake.occurrence);
        }
        stream.close();
      }
      return { acked, foreign, again };
    }
  });
});

describe("leases", () => {
  test("an unacked wake is offered again after its lease, with the same occurrence id", async () => {
    const world = await startWorld({ leaseMs: 300 });
    const { ticket } = await subscribe(world.app);
    const stream = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const id = await emit(world.app);
    const wakes = await stream.wakes(3);
    expect(wakes.map((wake) => wake.occurrence)).toEqual([id, id, id]);
    expect(await ack(world, ticket, id)).toBe("ok");
    const offers = stream.of("wake").length;
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(stream.of("wake").length).toBeLessThanOrEqual(offers + 1);
    stream.close();
  });

  test("a wake is out with one taker at a time; when that one goes, the next has it at once", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const first = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const second = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const id = await emit(world.app);
    await first.until(() => first.of("wake").length + second.of("wake").length > 0, 100).catch(() => undefined);
    await second.until(() => first.of("wake").length + second.of("wake").length > 0);
    const [taker, other] = first.of("wake").length > 0 ? [first, second] : [second, first];
    expect(other.of("wake")).toHaveLength(0);
    taker.close();
    expect((await other.wakes()).map((wake) => wake.occurrence)).toEqual([id]);
    other.close();
  });

  test("a long poll whose asker leaves gives back what it had", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    const abort = new AbortController();
    const polling = fetch(`${world.url}/api/wakes/v1/next`, {
      method: "POST",
      body: JSON.stringify({ holder: HOLDER, tickets: [ticket], wait_ms: 20_000 }),
      signal: abort.signal,
    }).catch(() => "left");
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort.abort();
    expect(await polling).toBe("left");
    const id = await emit(world.app);
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 5_000 });
    expect(body.wakes.map((wake: any) => wake.occurrence)).toEqual([id]);
  });

  test("a `once` subscription has one occurrence out, and ends with its ack", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { once: true });
    const stream = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    const ids = [await emit(world.app), await emit(world.app), await emit(world.app)];
    const [wake] = await stream.wakes();
    expect(wake.occurrence).toBe(ids[0]);
    expect(await ack(world, ticket, wake.occurrence)).toBe("ok");
    await stream.until(() => stream.of("ended").length > 0);
    expect(stream.of("wake")).toHaveLength(1);
    expect(stream.of("ended")).toMatchObject([{ reason: "delivered" }]);
    stream.close();
  });

  test("a taker that acks nothing is handed a bounded number of wakes, and the rest once it does", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    for (let n = 0; n < 150; n += 10)
      await Promise.all(Array.from({ length: 10 }, () => world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: {} })));
    const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
    await stream.wakes(64);
    expect(stream.of("wake").length).toBeLessThan(100);
    const seen = new Set<string>();
    while (seen.size < 150) {
      await stream.until(() => stream.of("wake").some((wake) => !seen.has(wake.occurrence)));
      for (const wake of stream.of("wake")) {
        if (seen.has(wake.occurrence)) continue;
        seen.add(wake.occurrence);
        expect(await ack(world, ticket, wake.occurrence)).toBe("ok");
      }
    }
    expect(stream.of("wake")).toHaveLength(150);
    stream.close();
  });
});

describe("ends", () => {
  test("whatever ends a subscription is told to its stream within a second", async () => {
    const world = await startWorld();
    const client = "codex-mcp-client";
    const ways: Readonly<Record<string, (sub: Subscribed, job: string) => Promise<unknown>>> = {
      unsubscribed: ({ id, session }) => world.app.post("/event-subscriptions/unsubscribe", { call: { client, user: "ada", session }, id }),
      ended: ({ id }) => world.app.post("/event-subscriptions/end", { id }),
      rolled_back: (_sub, job) => world.app.post("/event-subscriptions/rollback", { call_id: `call-${job}` }),
      "ended by what matches": (_sub, job) => world.app.post("/event-subscriptions/end-matching", { arguments: { job } }),
      "unsubscribed by its taker": ({ ticket }) => world.fetchJson("POST", "/api/wakes/v1/end", { holder: HOLDER, tickets: [ticket] }),
    };
    let round = 0;
    for (const [reason, end] of Object.entries(ways)) {
      const tookMs = await quickest(1_000, async () => {
        const job = `job-${(round += 1)}`;
        const sub = await subscribe(world.app, { arguments: { job } }, { user: "ada", call_id: `call-${job}` });
        const stream = await (await WakeStream.open(world.url, HOLDER, [sub.ticket])).untilReady();
        const from = performance.now();
        await end(sub, job);
        await stream.until(() => stream.of("ended").length > 0);
        const tookMs = performance.now() - from;
        expect(stream.of("ended")[0].reason).toBe(reason.split(" ")[0]);
        await emit(world.app, { arguments: { job } });
        expect(stream.of("wake")).toEqual([]);
        stream.close();
        return tookMs;
      });
      expect(tookMs).toBeLessThan(1_000);
    }
  });

  test("expiry ends a stream's subscription within a second, and a step of the wall clock does nothing else", async () => {
    let [wall, passed] = [0, 0];
    const clock = { now: () => Date.now() + wall, monotonic: () => performance.now() + passed };
    const world = await startWorld({ clock });
    const tookMs = await quickest(1_500, async () => {
      const [short, long] = [await subscribe(world.app, { ttl_ms: 60_000 }), await subscribe(world.app, { ttl_ms: 86_400_000 })];
      const stream = await (await WakeStream.open(world.url, HOLDER, [short.ticket, long.ticket])).untilReady();
      wall += 61_000;
      passed += 61_000;
      const from = performance.now();
      await stream.until(() => stream.of("ended").length > 0);
      const tookMs = performance.now() - from;
      expect(stream.of("ended")).toMatchObject([{ subscription: short.id, reason: "expired" }]);
      wall -= 61_000;
      const id = await emit(world.app);
      expect((await stream.wakes()).map((wake) => [wake.subscription, wake.occurrence])).toEqual([[long.id, id]]);
      stream.close();
      await world.app.post("/event-subscriptions/end", { id: long.id });
      return tookMs;
    });
    expect(tookMs).toBeLessThan(1_500);
  });
});

test("a ticket replaced by a newer one leaves its stream; what comes then comes to the newer one's", async () => {
  const world = await startWorld();
  const first = await subscribe(world.app);
  const old = await (await WakeStream.open(world.url, HOLDER, [first.ticket])).untilReady();
  const again = await subscribe(world.app, {}, { session: first.session });
  const side = await (await WakeStream.open(world.url, HOLDER, [again.ticket])).untilReady();
  await old.until(() => old.of("ended").length > 0);
  expect(old.of("ended")).toMatchObject([{ subscription: first.id, reason: "replaced" }]);
  const id = await emit(world.app);
  expect((await side.wakes()).map((wake) => wake.occurrence)).toEqual([id]);
  expect(old.of("wake")).toEqual([]);
  old.close();
  side.close();
});

describe("many streams", () => {
  test("PC-33 above the limit new ones get 503 and differing times, and no living one is closed", async () => {
    const world = await startWorld({ maxStreams: 3 });
    const { ticket } = await subscribe(world.app);
    const open = await Promise.all([1, 2, 3].map(async () => (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady()));
    const refused = await Promise.all(
      Array.from({ length: 20 }, () => world.fetchJson("POST", "/api/wakes/v1/stream", { holder: HOLDER, tickets: [ticket] })),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(new Set(["rate_limited"]));
    expect(new Set(refused.map(({ headers }) => headers.get("retry-after"))).size).toBeGreaterThan(1);
    await emit(world.app);
    await Promise.race(open.map((stream) => stream.wakes()));
    open[0]?.close();
    const reopened = async (): Promise<number> => {
      const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
      if (stream.response.status === 200) stream.close();
      return stream.response.status;
    };
    await expect.poll(reopened, { timeout: 45_000 }).toBe(200);
    for (const stream of open) stream.close();
  });

  test("at shutdown each is told when to come back, at differing times, and long polls are answered", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app);
    // Asked first: by the time that eight streams are ready, it waits.
    const polling = world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket], wait_ms: 50_000 });
    const open = await Promise.all(
      Array.from({ length: 8 }, async () => (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady()),
    );
    await world.core.close();
    await Promise.all(open.map((stream) => stream.ended));
    const times = open.map((stream) => stream.of("retry")[0]?.retry_ms as number);
    expect(times.every((time) => time > 0)).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(1);
    expect((await polling).body).toMatchObject({ wakes: [], ended: [] });
  });

  test("a quiet stream pings", async () => {
    const world = await startWorld({ pingMs: 200 });
    const { ticket } = await subscribe(world.app);
    const stream = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    await stream.until(() => stream.of("ping").length >= 2);
    stream.close();
  });

  test("a taker that stops reading grows nothing, and its wakes go to another", async () => {
    const world = await startWorld({ leaseMs: 5_000 });
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const body = JSON.stringify({ holder: HOLDER, tickets: [ticket] });
    const deaf = connect(world.core.port, "127.0.0.1", () => {
      deaf.write(
        `POST /api/wakes/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:${world.core.port}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
    await new Promise((resolve) => deaf.once("data", resolve));
    deaf.pause();
    const before = process.memoryUsage().rss;
    const payload = { blob: "x".repeat(200_000) };
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) ids.push((await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload })).body.id);
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
    const seen = new Set<string>();
    const other = await (await WakeStream.open(world.url, HOLDER, [ticket])).untilReady();
    while (seen.size < ids.length) {
      await other.until(() => other.of("wake").some((wake) => !seen.has(wake.occurrence)));
      for (const wake of other.of("wake")) {
        if (seen.has(wake.occurrence)) continue;
        seen.add(wake.occurrence);
        await ack(world, ticket, wake.occurrence);
      }
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    other.close();
    deaf.destroy();
  });
});

test("an event stream and an emit of many routes: a personal emit reaches each named user once", async () => {
  const turn = { ...CRAWL, name: "game.turn", access: ["personal"] };
  const world = await startWorld({}, [turn]);
  const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
  const subs = await Promise.all(users.map((user) => subscribe(world.app, { name: turn.name }, { user })));
  const stream = await (
    await WakeStream.open(
      world.url,
      HOLDER,
      subs.map(({ ticket }) => ticket),
    )
  ).untilReady();
  const { body } = await world.app.post("/events/emit", {
    name: turn.name,
    arguments: { job: "a" },
    payload: { status: "done" },
    to: users.slice(0, 10),
  });
  expect(body.matched).toBe(10);
  const wakes = await stream.wakes(10);
  expect(wakes.map((wake) => wake.subscription).sort()).toEqual(
    subs
      .slice(0, 10)
      .map(({ id }) => id)
      .sort(),
  );
  stream.close();
});
