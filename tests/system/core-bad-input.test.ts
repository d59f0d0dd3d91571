import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { CRAWL, FREE, SDK, objectSchema, TURN, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

const EMIT = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } };
const HOLDER = "holder-of-this-test";

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

/** What is answered to a request of which only the head is sent: a body that is cut off could hide the answer. */
function answerToHead({ core }: CoreWorld, path: string, headers: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(core.port, "127.0.0.1", () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${core.port}\r\n${headers}\r\n\r\n`);
    });
    socket.on("data", (data) => {
      answer += data.toString();
      if (!answer.endsWith("}")) return;
      resolve(answer);
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`closed after: ${answer}`)));
  });
}

describe("a body that can't be read is refused by name", () => {
  test.each<[string, string, string]>([
    ["no JSON", "{", "bad_request"],
    ["JSON that is no object", "[]", "bad_request"],
    ["null", "null", "bad_request"],
    ["nothing", "", "bad_request"],
    ["a name that is a number", '{"name":7,"arguments":{},"payload":{}}', "bad_request"],
    ["arguments that are a list", '{"name":"crawl.finished","arguments":[],"payload":{}}', "bad_request"],
    ["a text that is an object", '{"name":"crawl.finished","arguments":{"job":"a"},"payload":{"status":"done"},"text":{}}', "bad_request"],
    ["an id that is a number", '{"name":"crawl.finished","arguments":{"job":"a"},"payload":{"status":"done"},"id":7}', "bad_request"],
    ["a `to` that is a number", '{"name":"crawl.finished","arguments":{"job":"a"},"payload":{"status":"done"},"to":[7]}', "bad_request"],
  ])("%s", async (_, body, code) => {
    const world = await startWorld();
    const answer = await world.app.post("/events/emit", body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  test("the field of a wrong type is named, unknown fields are ignored, and null counts as left out", async () => {
    const world = await startWorld();
    const wrong = await world.app.post("/event-subscriptions", { call: { client: 7 }, name: CRAWL.name, arguments: { job: "a" } });
    expect(wrong.body.error).toMatchObject({ code: "bad_request", message: expect.stringContaining("call.client") });
    expect((await world.app.post("/events/emit", { ...EMIT, unknown: "\u0000", later: { deep: nested(200) } })).status).toBe(200);
    expect((await world.app.post("/events/emit", { ...EMIT, id: null, to: null, text: null })).status).toBe(200);
  });

  test("a body that isn't UTF-8", async () => {
    const world = await startWorld();
    const response = await fetch(`${world.url}/api/apps/v1/events/emit`, {
      method: "POST",
      headers: { Authorization: `Bearer ${await world.app.assertion()}` },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect([response.status, ((await response.json()) as any).error.code]).toEqual([400, "bad_request"]);
  });

  test("a packed body", async () => {
    const world = await startWorld();
    const response = await fetch(`${world.url}/api/apps/v1/events/emit`, {
      method: "POST",
      headers: { Authorization: `Bearer ${await world.app.assertion()}`, "Content-Encoding": "gzip" },
      body: "{}",
    });
    expect([response.status, ((await response.json()) as any).error.code]).toEqual([415, "bad_request"]);
  });
});

describe("oversize", () => {
  test.each(["/api/apps/v1/events/emit", "/api/wakes/v1/ack", "/api/wakes/v1/stream", "/api/admin/v1/apps", "/nothing/here"])(
    "a body over 512 KiB is refused at %s",
    async (path) => {
      const world = await startWorld();
      const answer = await answerToHead(world, path, "Content-Type: application/json\r\nContent-Length: 600000");
      expect(answer).toMatch(/^HTTP\/1\.1 413/);
      expect(answer).toContain('"code":"payload_too_large"');
    },
  );

  test("a body that never says its length is refused once it is over the limit, long before it is whole", async () => {
    const world = await startWorld();
    const authorization = `Bearer ${await world.app.assertion()}`;
    let sent = 0;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(world.core.port, "127.0.0.1", () => {
        socket.write(
          `POST /api/apps/v1/events/emit HTTP/1.1\r\nHost: 127.0.0.1:${world.core.port}\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        const timer = setInterval(() => {
          sent += 65_536;
          socket.write(`10000\r\n${"x".repeat(65_536)}\r\n`);
          if (sent > 20_000_000) clearInterval(timer);
        }, 5);
        socket.once("data", (data) => {
          clearInterval(timer);
          resolve(data.toString());
          socket.destroy();
        });
      });
      socket.once("error", reject);
    });
    expect(answer).toContain("413");
    expect(sent).toBeLessThan(5_000_000);
  });

  test("`Expect: 100-continue` gets its refusal instead of an invitation", async () => {
    const world = await startWorld();
    const answer = await answerToHead(world, "/api/apps/v1/events/emit", "Content-Length: 99999999\r\nExpect: 100-continue");
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  test("a payload over 256 KiB, arguments over 4 KiB", async () => {
    const world = await startWorld();
    const payload = await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: { a: "é".repeat(140_000) } });
    expect([payload.status, payload.body.error.code]).toEqual([413, "payload_too_large"]);
    expect((await world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: { a: "x".repeat(262_000) } })).status).toBe(
      200,
    );
    const args = await world.app.post("/events/emit", { name: FREE.name, arguments: { a: "x".repeat(5_000) }, payload: {} });
    expect([args.status, args.body.error.code]).toEqual([400, "bad_arguments"]);
  });

  test("a text over 4 KiB is cut on a whole character, and the occurrence is delivered", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    await world.app.post("/events/emit", { name: FREE.name, payload: {}, text: "👩‍👩‍👧é".repeat(3_000) });
    const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
    const [wake] = await stream.wakes();
    expect(Buffer.byteLength(wake.text)).toBeLessThanOrEqual(4_096);
    expect(wake.text).toMatch(/^👩.*…$/u);
    expect(wake.text.isWellFormed?.() ?? true).toBe(true);
    stream.close();
  });
});

describe("values that can't be stored", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["NUL in the payload", { payload: { status: "done", note: "a\u0000b" } }, "bad_payload"],
    ["half a surrogate pair in the payload", { payload: { status: "done", note: "\ud83d" } }, "bad_payload"],
    ["NUL in a field's name", { payload: { status: "done", "a\u0000": 1 } }, "bad_payload"],
    ["NUL in the text", { text: "a\u0000b" }, "bad_payload"],
    ["half a surrogate pair in the text", { text: "\udc00" }, "bad_payload"],
    ["NUL in the arguments", { arguments: { job: "a\u0000" } }, "bad_arguments"],
    ["half a surrogate pair in the arguments", { arguments: { job: "\ud83d" } }, "bad_arguments"],
    ["NUL in the id", { id: "a\u0000" }, "bad_request"],
    ["a payload 65 levels deep", { payload: nested(66) }, "bad_payload"],
    ["an id of 257 bytes", { id: "x".repeat(257) }, "bad_request"],
    ["an empty id", { id: "" }, "bad_request"],
  ])("%s is refused with %o → %s", async (_, changes, code) => {
    const world = await startWorld();
    const answer = await world.app.post("/events/emit", { ...EMIT, ...changes });
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  test("a number beyond what JSON numbers hold is refused", async () => {
    const world = await startWorld();
    const answer = await world.app.post("/events/emit", '{"name":"free.form","arguments":{},"payload":{"n":1e999}}');
    expect(answer.body.error.code).toBe("bad_payload");
  });

  test("a hundred thousand levels of nesting don't hurt", async () => {
    const world = await startWorld();
    const deep = `${'{"a":'.repeat(60_000)}1${"}".repeat(60_000)}`;
    const answer = await world.app.post("/events/emit", `{"name":"free.form","arguments":{},"payload":${deep}}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, "bad_payload"]);
    const lists = await world.app.post(
      "/events/emit",
      `{"name":"free.form","payload":{},"arguments":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    );
    expect(lists.status).toBe(400);
  });

  test("PC-42 among three emits at once the bad one is refused, both good ones arrive, and the core stays ready", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const good = (n: number): Promise<any> => world.app.post("/events/emit", { name: FREE.name, arguments: {}, payload: { n } });
    for (const bad of [
      { payload: { t: "a\u0000b", u: "\ud83d" } },
      { payload: {}, text: "a\u0000b\ud83d" },
      { payload: {}, arguments: { a: "\u0000" } },
    ]) {
      const answers = await Promise.all([good(1), world.app.post("/events/emit", { name: FREE.name, arguments: {}, ...bad }), good(2)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
    }
    const stream = await WakeStream.open(world.url, HOLDER, [ticket]);
    const wakes = await stream.wakes(6);
    expect(wakes.map((wake) => wake.payload.n).sort()).toEqual([1, 1, 1, 2, 2, 2]);
    expect((await world.fetchJson("GET", "/readyz")).status).toBe(200);
    stream.close();
  });
});

describe("what an event doesn't allow", () => {
  test("an event that isn't published", async () => {
    const world = await startWorld();
    for (const name of ["crawl.started", "", "__proto__", "x".repeat(200)]) {
      expect((await world.app.post("/events/emit", { ...EMIT, name })).body.error.code).toBe("unknown_event");
      expect((await world.app.post("/event-subscriptions", { call: { client: "c" }, name, arguments: {} })).body.error.code).toBe(
        "unknown_event",
      );
    }
  });

  test("arguments and payloads that don't match their schema", async () => {
    const world = await startWorld();
    for (const args of [{}, { job: 7 }, { job: null }]) {
      expect((await world.app.post("/events/emit", { ...EMIT, arguments: args })).body.error.code).toBe("bad_arguments");
      expect(
        (await world.app.post("/event-subscriptions", { call: { client: "c" }, name: CRAWL.name, arguments: args })).body.error.code,
      ).toBe("bad_arguments");
    }
    for (const payload of [{}, { status: "maybe" }, { status: "done", note: 7 }, "done", null, []]) {
      expect((await world.app.post("/events/emit", { ...EMIT, payload })).body.error.code).toBe("bad_payload");
    }
  });

  test("a personal event without `to`, a shared one with it", async () => {
    const world = await startWorld({}, [CRAWL, TURN]);
    const personal = { name: TURN.name, arguments: { table: "t" }, payload: {} };
    for (const to of [undefined, "", " ", [], ["ada", ""]]) {
      const { status, body } = await world.app.post("/events/emit", to === undefined ? personal : { ...personal, to });
      expect([status, body.error.code]).toEqual([400, "to_required"]);
    }
    expect((await world.app.post("/events/emit", { ...EMIT, to: "ada" })).body.error.code).toBe("to_refused");
    expect(
      (await world.app.post("/events/emit", { ...personal, to: Array.from({ length: 1_001 }, (_, n) => `u${n}`) })).body.error.code,
    ).toBe("bad_request");
    expect(
      (
        await world.app.post("/event-subscriptions", {
          call: { client: "c", tool: "sit_down" },
          name: TURN.name,
          arguments: { table: "t" },
        })
      ).body.error.code,
    ).toBe("user_required");
    expect(
      (
        await world.app.post("/event-subscriptions", {
          call: { client: "c", tool: "sit_down", user: " " },
          name: TURN.name,
          arguments: { table: "t" },
        })
      ).body.error.code,
    ).toBe("user_required");
    expect((await world.app.post("/events/emit", { ...personal, to: ["ada", "ada", "bob"] })).status).toBe(200);
  });

  test("seed-211 a personal emit reaches only the users it names", async () => {
    const world = await startWorld({}, [TURN]);
    const sit = (user: string): Promise<{ ticket: string }> =>
      subscribe(world.app, { name: TURN.name, arguments: { table: "t" } }, { user });
    const [ada, bob] = [await sit("ada"), await sit("bob")];
    const { body } = await world.app.post("/events/emit", { name: TURN.name, arguments: { table: "t" }, payload: {}, to: "bob" });
    expect(body.matched).toBe(1);
    const next = async (ticket: string): Promise<unknown[]> =>
      (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] })).body.wakes;
    expect(await next(ada.ticket)).toHaveLength(0);
    expect(await next(bob.ticket)).toHaveLength(1);
  });

  test("ttl and replay out of range", async () => {
    const world = await startWorld();
    const code = async (changes: object): Promise<string> =>
      (await world.app.post("/event-subscriptions", { call: { client: "c" }, name: CRAWL.name, arguments: { job: "a" }, ...changes })).body
        .error?.code ?? "none";
    expect(await code({ ttl_ms: 59_999 })).toBe("bad_request");
    expect(await code({ ttl_ms: 2_592_000_001 })).toBe("bad_request");
    expect(await code({ ttl_ms: 60_000.5 })).toBe("bad_request");
    expect(await code({ replay_ms: -1 })).toBe("bad_request");
    expect(await code({ replay_ms: 86_400_001 })).toBe("replay_too_long");
    expect(await code({ ttl_ms: 60_000, replay_ms: 86_400_000 })).toBe("none");
  });
});

describe("a manifest that can't be kept is refused whole", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a name with capitals", { name: "Crawl.Finished" }, "bad_event"],
    ["a reserved name", { name: "wakeshift.woken" }, "bad_event"],
    ["a reserved argument", { arguments: objectSchema({ wakeshift_voucher: { type: "string" } }) }, "reserved_argument"],
    ["public and personal", { access: ["public", "personal"] }, "bad_openness"],
    ["public and authorize", { access: ["authorize", "public"] }, "bad_openness"],
    ["an openness there isn't", { access: ["private"] }, "bad_request"],
    ["arguments that are no object schema", { arguments: { type: "string" } }, "bad_event"],
    ["a pattern that is none", { payload: objectSchema({ a: { type: "string", pattern: "(" } }) }, "bad_event"],
    ["a schema elsewhere", { payload: { type: "object", properties: { a: { $ref: "https://elsewhere.example/a" } } } }, "bad_event"],
    ["fifty-one tools", { tools: Array.from({ length: 51 }, (_, n) => `t${n}`) }, "bad_event"],
    [
      "a schema of a megabyte's kind",
      { payload: objectSchema(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field_${n}`, { type: "string" }]))) },
      "bad_event",
    ],
  ])("%s", async (_, changes, code) => {
    const world = await startWorld();
    const { status, body } = await world.app.call("PUT", "/manifest", {
      sdk: SDK,
      events: [
        { ...CRAWL, name: "another.event" },
        { ...CRAWL, ...changes },
      ],
    });
    expect([status, body.error.code]).toEqual([400, code]);
    expect((await world.app.post("/events/emit", { ...EMIT, name: "another.event" })).body.error.code).toBe("unknown_event");
  });

  test("two events of one name, and event 201", async () => {
    const world = await startWorld();
    expect((await world.app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL, CRAWL] })).body.error.code).toBe("bad_event");
    const many = Array.from({ length: 199 }, (_, n) => ({ ...CRAWL, name: `many.n${n}` }));
    expect((await world.app.call("PUT", "/manifest", { sdk: SDK, events: many })).body.error.code).toBe("bad_event");
    expect((await world.app.call("PUT", "/manifest", { sdk: SDK, events: many.slice(0, 198) })).body).toMatchObject({
      events: 200,
      changed: true,
    });
  });

  test("a pattern that backtracks without end holds nobody up", async () => {
    const hostile = { ...FREE, name: "hostile.event", payload: objectSchema({ a: { type: "string", pattern: "^(a|a)*$" } }) };
    const world = await startWorld({}, [CRAWL, hostile]);
    const started = performance.now();
    const [bad, good] = await Promise.all([
      world.app.post("/events/emit", { name: hostile.name, arguments: {}, payload: { a: `${"a".repeat(40)}!` } }),
      world.app.post("/events/emit", EMIT),
    ]);
    expect(bad.body.error.code).toBe("bad_payload");
    expect(good.status).toBe(200);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

describe("tickets", () => {
  const ask = (world: CoreWorld, tickets: readonly unknown[], holder = HOLDER): Promise<any> =>
    world.fetchJson("POST", "/api/wakes/v1/next", { holder, tickets });

  test("an unknown, a malformed and a foreign-held ticket among good ones spoil nothing", async () => {
    const world = await startWorld();
    const good = await subscribe(world.app);
    const held = await subscribe(world.app);
    await ask(world, [held.ticket], "another-holder");
    const unknown = `wkt_${"A".repeat(32)}`;
    await world.app.post("/events/emit", EMIT);
    const { status, body } = await ask(world, [unknown, "garbage", 7, null, held.ticket, good.ticket, good.ticket]);
    expect(status).toBe(200);
    expect(body.wakes.map((wake: any) => wake.subscription)).toEqual([good.id]);
    expect(body.ended.map((ended: any) => ended.reason)).toEqual(["unknown", "unknown", "unknown", "unknown", "unknown"]);
    const stream = await (await WakeStream.open(world.url, HOLDER, [unknown, "garbage", held.ticket, good.ticket])).untilReady();
    expect(stream.messages.map(({ event }) => event).slice(0, 4)).toEqual(["ended", "ended", "ended", "ready"]);
    expect(stream.of("ready")).toMatchObject([{ tickets: 1, ping_ms: 15_000 }]);
    const ack = await world.fetchJson("POST", "/api/wakes/v1/ack", {
      holder: HOLDER,
      acks: [
        { ticket: unknown, occurrence: "evt_x", state: "handed" },
        { ticket: "x", occurrence: "evt_x", state: "seen" },
      ],
    });
    expect(ack).toMatchObject({ status: 200, body: { acks: [{ result: "unknown" }, { result: "unknown" }] } });
    stream.close();
  });

  test("tickets with NUL, half a surrogate pair or a hundred thousand levels are unknown, and spoil nothing", async () => {
    const world = await startWorld();
    const good = await subscribe(world.app);
    await world.app.post("/events/emit", EMIT);
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { status, body } = await world.fetchJson(
      "POST",
      "/api/wakes/v1/next",
      `{"holder":"${HOLDER}","tickets":["wkt_\\u0000","\\ud83d",${deep},"${good.ticket}"]}`,
    );
    expect(status).toBe(200);
    expect(body.ended).toHaveLength(3);
    expect(body.wakes).toHaveLength(1);
    const odd = `{"holder":"${HOLDER}","acks":[{"ticket":"\\u0000","occurrence":"\\ud83d","state":"handed"},{"ticket":"${good.ticket}","occurrence":"${body.wakes[0].occurrence}","state":"handed"}]}`;
    const acked = await world.fetchJson("POST", "/api/wakes/v1/ack", odd);
    expect(acked.body.acks.map((ack: any) => ack.result)).toEqual(["unknown", "ok"]);
  });

  test("a ticket in the Authorization header counts as one in the body", async () => {
    const world = await startWorld();
    const [a, b] = [await subscribe(world.app), await subscribe(world.app)];
    await world.app.post("/events/emit", EMIT);
    const { body } = await world.fetchJson(
      "POST",
      "/api/wakes/v1/next",
      { holder: HOLDER },
      { Authorization: `Bearer ${a.ticket} ${b.ticket}` },
    );
    expect(body.wakes.map((wake: any) => wake.subscription).sort()).toEqual([a.id, b.id].sort());
  });

  test.each<[string, unknown]>([
    ["no holder", { tickets: [] }],
    ["an ack that is a text", { holder: HOLDER, tickets: "x", acks: ["x"] }],
    ["an empty holder", { holder: "", tickets: [] }],
    ["tickets that are a text", { holder: HOLDER, tickets: "wkt_" }],
    ["501 tickets", { holder: HOLDER, tickets: Array.from({ length: 501 }, () => "x") }],
    ["a wait that is too long", { holder: HOLDER, tickets: [], wait_ms: 50_001 }],
    ["a wait that is no number", { holder: HOLDER, tickets: [], wait_ms: "5" }],
  ])("%s is refused", async (_, body) => {
    const world = await startWorld();
    const answer = await world.fetchJson("POST", "/api/wakes/v1/next", body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "bad_request"]);
  });
});

describe("paths", () => {
  test("what isn't there is 404, what takes another method 405, what isn't built 501, all of it JSON", async () => {
    const world = await startWorld();
    for (const path of [
      "/",
      "/api",
      "/api/apps/v1",
      "/api/apps/v1/nothing",
      "/api/apps/v2/app",
      "/healthz/x",
      "/%2e%2e/etc/passwd",
      "/api/wakes/v1/",
    ]) {
      expect(await world.fetchJson("GET", path)).toMatchObject({ status: 404, body: { error: { code: "bad_request" } } });
    }
    const wrong = await world.fetchJson("GET", "/api/apps/v1/events/emit");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    for (const path of ["/metrics", "/api/console/v1/apps", `/p/${"a".repeat(43)}`])
      expect(await world.fetchJson("GET", path)).toMatchObject({ status: 501, body: { error: { code: "unsupported" } } });
    for (const path of [
      "/events/subscribe",
      "/events/unsubscribe",
      "/events/poll",
      "/events/publish-urls",
      "/topics/subscribe",
      "/topics/publish",
      "/workspaces",
      "/subscriptions/x/send",
    ]) {
      expect(await world.app.post(path, {})).toMatchObject({ status: 501, body: { error: { code: "unsupported" } } });
    }
    expect(await world.app.call("DELETE", "/events/publish-urls/pub_1")).toMatchObject({ status: 501 });
    expect(await world.app.call("GET", "/topics/status?topic=x")).toMatchObject({ status: 501 });
    expect(
      await world.app.post("/event-subscriptions", { call: { client: "c" }, name: CRAWL.name, arguments: { job: "a" }, native: true }),
    ).toMatchObject({ status: 501, body: { error: { code: "unsupported" } } });
  });

  test("what isn't HTTP gets JSON too", async () => {
    const world = await startWorld();
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(world.core.port, "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
      socket.once("data", (data) => resolve(data.toString()));
      socket.once("error", reject);
    });
    expect(answer).toContain("400");
    expect(answer).toContain('"code":"bad_request"');
  });

  test("every answer forbids caching, sniffing and framing, and names its request", async () => {
    const world = await startWorld();
    for (const path of ["/healthz", "/readyz", "/nothing", "/api/apps/v1/app"]) {
      const { headers } = await world.fetchJson("GET", path);
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("x-request-id")).toBeTruthy();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });
});
