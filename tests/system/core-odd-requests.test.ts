import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { CRAWL, FREE, SDK, objectSchema, TURN, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";

const HOLDER = "holder-of-this-test";

const subscribing = (call: string, more = ""): string => `{"call":${call},"name":"crawl.finished","arguments":{"job":"a"}${more}}`;
const freely = (args: string): string => `{"call":{"client":"c","tool":"t"},"name":"free.form","arguments":${args}}`;
const emitting = (more: string, args = '{"table":"t"}'): string => `{"name":"game.turn","arguments":${args},"payload":{}${more}}`;
const publishing = (event: string): string =>
  `{"sdk":{"language":"typescript","version":"0.11.0"},"events":[{"name":"odd.event","description":"d","payload":{"type":"object"},${event}}]}`;
const plain = '"arguments":{"type":"object"}';

const SUBSCRIBE = "/event-subscriptions";
const EMIT = "/events/emit";
const MANIFEST = "/manifest";

/** Everything but the two columns is written by hand, as no SDK would. */
const REFUSED: readonly (readonly [what: string, path: string, body: string, code: string])[] = [
  ["a user of 400,000 characters", SUBSCRIBE, subscribing(`{"client":"c","user":"${"x".repeat(400_000)}"}`), "bad_request"],
  ["a user with NUL", SUBSCRIBE, subscribing('{"client":"c","user":"a\\u0000"}'), "bad_request"],
  ["a user with half a surrogate pair", SUBSCRIBE, subscribing('{"client":"c","user":"\\ud800"}'), "bad_request"],
  ["a user that is a list", SUBSCRIBE, subscribing('{"client":"c","user":["ada"]}'), "bad_request"],
  ["a user named twice", SUBSCRIBE, subscribing('{"client":"c","user":"ada","user":"bob"}'), "bad_request"],
  ["a user named twice, once in escapes", SUBSCRIBE, subscribing('{"client":"c","user":"ada","\\u0075ser":"bob"}'), "bad_request"],
  ["a call that is a list", SUBSCRIBE, subscribing("[]"), "bad_request"],
  ["a call that is a text", SUBSCRIBE, subscribing('"c"'), "bad_request"],
  ["a path there isn't", SUBSCRIBE, subscribing('{"client":"c"}', ',"via":"public"'), "bad_request"],
  ["a list of paths", SUBSCRIBE, subscribing('{"client":"c"}', ',"via":["tool"]'), "bad_request"],
  ["two paths", SUBSCRIBE, subscribing('{"client":"c"}', ',"via":"subscribe_events","via":"tool"'), "bad_request"],
  ["a time to live beyond numbers", SUBSCRIBE, subscribing('{"client":"c"}', ',"ttl_ms":1e400'), "bad_request"],
  ["a replay below numbers", SUBSCRIBE, subscribing('{"client":"c"}', ',"replay_ms":-1e400'), "bad_request"],
  ["once as a text", SUBSCRIBE, subscribing('{"client":"c"}', ',"once":"true"'), "bad_request"],
  ["a number beyond numbers in what a client says", SUBSCRIBE, subscribing('{"client":"c","meta":{"n":1e400}}'), "bad_request"],
  [
    "a client's facts 65 levels deep",
    SUBSCRIBE,
    subscribing(`{"client":"c","meta":{"a":${"[".repeat(65)}${"]".repeat(65)}}}`),
    "bad_request",
  ],
  ["arguments that are a text", SUBSCRIBE, freely('"x"'), "bad_request"],
  ["arguments that are a list", SUBSCRIBE, freely('["x"]'), "bad_request"],
  ["an argument beyond numbers", SUBSCRIBE, freely('{"n":1e400}'), "bad_arguments"],
  ["an argument 65 levels deep", SUBSCRIBE, freely(`{"a":${"[".repeat(65)}${"]".repeat(65)}}`), "bad_arguments"],
  ["an argument named __proto__", SUBSCRIBE, freely('{"__proto__":"x"}'), "bad_arguments"],
  ["an argument named twice", SUBSCRIBE, freely('{"a":"x","a":"y"}'), "bad_request"],
  ["an event named __proto__", SUBSCRIBE, '{"call":{"client":"c"},"name":"__proto__","arguments":{}}', "unknown_event"],
  ["an event named constructor", EMIT, '{"name":"constructor","arguments":{},"payload":{}}', "unknown_event"],
  ["a request in its prototype", EMIT, '{"__proto__":{"name":"free.form","arguments":{},"payload":{}}}', "bad_request"],
  ["an occurrence's argument named __proto__", EMIT, emitting(',"to":"ada"', '{"table":"t","__proto__":"x"}'), "bad_arguments"],
  ["an occurrence's argument named twice", EMIT, emitting(',"to":"ada"', '{"table":"t","table":"u"}'), "bad_request"],
  ["two recipients under one name", EMIT, emitting(',"to":"ada","to":"bob"'), "bad_request"],
  ["a recipient nobody can be, for its length", EMIT, emitting(`,"to":["ada","${"x".repeat(1_025)}"]`), "bad_request"],
  ["a recipient of 400,000 characters", EMIT, emitting(`,"to":"${"x".repeat(400_000)}"`), "bad_request"],
  ["a recipient with NUL", EMIT, emitting(',"to":["ada","\\u0000"]'), "bad_request"],
  ["a recipient with half a surrogate pair", EMIT, emitting(',"to":"\\udc00"'), "bad_request"],
  ["recipients as an object", EMIT, emitting(',"to":{"0":"ada","length":1}'), "bad_request"],
  ["a list of lists of recipients", EMIT, emitting(',"to":[["ada"]]'), "bad_request"],
  ["nobody, in the prototype's words", EMIT, emitting(',"__proto__":{"to":"ada"}'), "to_required"],
  ["a payload with a field named twice", EMIT, '{"name":"free.form","arguments":{},"payload":{"a":[{"b":1,"b":2}]}}', "bad_request"],
  ["public and, in the older spelling, personal", MANIFEST, publishing(`${plain},"access":["public"],"personal":true`), "bad_openness"],
  ["an openness in a list of its own", MANIFEST, publishing(`${plain},"access":[["public"]]`), "bad_request"],
  ["an openness as a text", MANIFEST, publishing(`${plain},"access":"public"`), "bad_request"],
  ["an openness named twice", MANIFEST, publishing(`${plain},"access":[],"access":["public"]`), "bad_request"],
  ["null as openness", MANIFEST, publishing(`${plain},"access":null`), "bad_request"],
  ["an event's argument named __proto__", MANIFEST, publishing('"arguments":{"type":"object","properties":{"__proto__":{}}}'), "bad_event"],
  ["a required argument named __proto__", MANIFEST, publishing('"arguments":{"type":"object","required":["__proto__"]}'), "bad_event"],
  ["required as a text", MANIFEST, publishing('"arguments":{"type":"object","required":"job"}'), "bad_event"],
  ["properties as a list", MANIFEST, publishing('"arguments":{"type":"object","properties":[]}'), "bad_event"],
  ["a schema that is a list", MANIFEST, publishing('"arguments":[]'), "bad_request"],
  ["an SDK that is a list", MANIFEST, '{"sdk":[],"events":[]}', "bad_request"],
  ["arguments to end by as a list", `${SUBSCRIBE}/end-matching`, '{"arguments":["a"]}', "bad_request"],
  ["arguments to end by named __proto__", `${SUBSCRIBE}/end-matching`, '{"arguments":{"__proto__":"x"}}', "bad_arguments"],
  ["nothing to end by but a prototype", `${SUBSCRIBE}/end-matching`, '{"__proto__":{"user":"ada"}}', "bad_request"],
  ["a list of users to end", `${SUBSCRIBE}/end-matching`, '{"user":["ada"]}', "bad_request"],
  ["a list of users to forget", "/users/forget", '{"user":["ada"]}', "bad_request"],
  ["two users to forget under one name", "/users/forget", '{"user":"ada","user":"bob"}', "bad_request"],
];

/** All there is in a core's database that a request can have left there, but which assertions were used. */
function stored(world: CoreWorld): unknown {
  const database = new Database(join(world.dataDir, "wakeshift.db"), { readonly: true });
  const tables = [
    "events",
    "occurrences",
    "entries",
    "conversations",
    "subscriptions",
    "calls",
    "closed_calls",
    "capabilities",
    "access_changes",
  ];
  const all = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]);
  database.close();
  return all;
}

test("what no SDK would send is refused with a code and a sentence, leaves nothing behind, and tells no secret (seed-209, seed-213)", async () => {
  const world = await startWorld({}, [CRAWL, FREE, TURN]);
  const ada = await subscribe(world.app, {}, { user: "ada" });
  const before = stored(world);
  const sentences: string[] = [];
  for (const [what, path, body, code] of REFUSED) {
    const answer = await world.app.call(path === MANIFEST ? "PUT" : "POST", path, body);
    expect([what, answer.body.error?.code]).toEqual([what, code]);
    expect([what, answer.status]).toEqual([what, { to_required: 400, unknown_event: 404 }[code] ?? 400]);
    sentences.push(answer.body.error.message);
  }
  expect(stored(world)).toEqual(before);
  expect(sentences.filter((sentence) => sentence.length > 400)).toEqual([]);
  const told = [...sentences, ...world.log].join("\n");
  for (const secret of [ada.session, ada.ticket, world.app.key, ...world.app.assertions]) expect(told).not.toContain(secret);
  expect(told).not.toMatch(/xxxx/);
  expect(world.log.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});

describe("names and users that only look alike", () => {
  test("are kept apart: composed and decomposed letters, letters of another script, spaces and case (seed-211, seed-213)", async () => {
    const world = await startWorld({}, [TURN]);
    const users = ["caf\u00e9", "cafe\u0301", "c\u0430fe\u0301", "ada", "Ada", "ada ", " ada", "ada\u200b", "\u{1f469}\u200d\u{1f4bb}"];
    const request = { name: TURN.name, arguments: { table: "t" } };
    const made = await Promise.all(users.map((user) => subscribe(world.app, request, { user })));
    const ids = await Promise.all(
      users.map(async (to) => (await world.app.post(EMIT, { ...request, payload: {}, to })).body as { id: string; matched: number }),
    );
    expect(ids.map(({ matched }) => matched)).toEqual(users.map(() => 1));
    for (const [n, { ticket }] of made.entries()) {
      const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] });
      expect(body.wakes.map((wake: any) => wake.occurrence)).toEqual([ids[n]?.id]);
    }
    for (const user of users) expect((await world.app.post("/users/forget", { user })).body).toEqual({ forgotten: true });
  });

  test("a session key goes with the exact user and client it was made for (PC-44)", async () => {
    const world = await startWorld();
    const made = await subscribe(world.app, {}, { user: "caf\u00e9", client: "codex" });
    for (const other of [
      { user: "cafe\u0301" },
      { user: "caf\u00e9 " },
      { user: "Caf\u00e9" },
      { client: "Codex" },
      { client: "codex " },
    ]) {
      const call = { user: "caf\u00e9", client: "codex", ...other, session: made.session };
      expect((await world.app.post(`${SUBSCRIBE}/list`, { call })).body.error.code).toBe("unknown_session");
      expect((await subscribe(world.app, {}, call)).session).not.toBe(made.session);
    }
  });

  test("arguments named as every object's own fields are arguments like any other", async () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
    const odd = {
      ...FREE,
      name: "constructor",
      arguments: objectSchema(Object.fromEntries(names.map((name) => [name, { type: "string" }])), names.slice(1)),
    };
    const world = await startWorld({}, []);
    expect((await world.app.call("PUT", MANIFEST, { sdk: SDK, events: [odd] })).status).toBe(200);
    const request = (args: object): object => ({ call: { client: "c", tool: "t" }, name: odd.name, arguments: args });
    for (const args of [{}, { toString: "x" }])
      expect((await world.app.post(SUBSCRIBE, request(args))).body.error).toMatchObject({ code: "bad_arguments" });
    const filtered = await subscribe(world.app, request({ constructor: "a", toString: "x" }) as Record<string, unknown>);
    const emit = async (args: object, payload: object): Promise<string> =>
      (await world.app.post(EMIT, { name: odd.name, arguments: args, payload })).body.id;
    const expected = [await emit({ constructor: "a", toString: "x" }, {}), await emit({ constructor: "a" }, { toString: "x" })];
    await emit({ constructor: "a" }, {});
    await emit({ constructor: "a", toString: "y" }, { toString: "x" });
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [filtered.ticket] });
    expect(body.wakes.map((wake: any) => wake.occurrence)).toEqual(expected);
  });

  test("a payload's field named __proto__ is a field, delivered as it was sent", async () => {
    const world = await startWorld();
    const { ticket } = await subscribe(world.app, { name: FREE.name, arguments: {} });
    const payload = '{"__proto__":{"admin":true},"constructor":{"prototype":1},"a":1}';
    expect((await world.app.post(EMIT, `{"name":"free.form","arguments":{},"payload":${payload}}`)).status).toBe(200);
    const { body } = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: HOLDER, tickets: [ticket] });
    expect(JSON.stringify(body.wakes[0].payload)).toBe(payload);
    expect(({} as any).admin).toBeUndefined();
  });
});
