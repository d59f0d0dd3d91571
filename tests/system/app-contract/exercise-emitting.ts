import assert from "node:assert/strict";
import { BUILD, CRAWL, TURN } from "./contract-app.ts";
import type { Exercise } from "./contract-app.ts";

export function exerciseEmitting(exercise: Exercise): void {
  exercise("an occurrence reaches whoever subscribed with its arguments, and nobody else", async (app) => {
    await app.publish(CRAWL);
    const one = await app.subscribe();
    const two = await app.subscribe();
    const other = await app.subscribe({ arguments: { job: "b" } });
    const { id, matched, duplicate } = await app.emit({ text: "The crawl is done.", payload: { status: "done", more: [1, null] } });
    assert.match(id, /^evt_[0-9a-f]{32}$/);
    assert.deepEqual([matched, duplicate], [2, false]);
    const wakes = await app.wakes();
    assert.deepEqual(wakes.map((wake) => wake.subscription).sort(), [one.id, two.id].sort());
    assert.deepEqual(
      wakes.map(({ event, arguments: args, payload, text }) => ({ event, args, payload, text })),
      [1, 2].map(() => ({
        event: CRAWL.name,
        args: { job: "a" },
        payload: { status: "done", more: [1, null] },
        text: "The crawl is done.",
      })),
    );
    assert.deepEqual(await app.woken(other), []);
  });

  exercise("without a text it is the description and the payload", async (app) => {
    await app.publish(CRAWL);
    await app.subscribe();
    await app.emit();
    assert.equal((await app.wakes())[0]?.text, 'A crawl finished: {"status":"done"}');
  });

  exercise("the same id again is the same occurrence, and for another one it is refused", async (app) => {
    await app.publish(CRAWL, BUILD);
    const made = await app.subscribe();
    const first = await app.emit({ id: "crawl-a" });
    assert.deepEqual(first, { id: "crawl-a", matched: 1, connected: 0, duplicate: false });
    assert.deepEqual(await app.emit({ id: "crawl-a", payload: { status: "again" } }), { ...first, duplicate: true });
    const odd = await app.emit({ id: "crawl a/ü" });
    assert.match(odd.id, /^evt_[0-9a-f]{32}$/);
    assert.equal((await app.emit({ id: "crawl a/ü" })).duplicate, true);
    assert.deepEqual(await app.woken(made), ["crawl-a", odd.id]);
    const emit = { name: CRAWL.name, arguments: { job: "b" }, payload: { status: "x" }, id: "crawl-a" };
    await app.refused("/events/emit", emit, "bad_request", 409);
    await app.refused("/events/emit", { ...emit, name: BUILD.name, arguments: { repo: "r" } }, "bad_request", 409);
  });

  exercise("what doesn't fit is refused by the code of its fault", async (app) => {
    await app.publish(CRAWL, TURN);
    const emit = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } };
    const turn = { ...emit, name: TURN.name, arguments: { table: "t" } };
    await app.refused("/events/emit", { ...emit, name: "no.such" }, "unknown_event", 404);
    await app.refused("/events/emit", { ...emit, arguments: {} }, "bad_arguments", 400);
    await app.refused("/events/emit", { ...emit, payload: {} }, "bad_payload", 400);
    await app.refused("/events/emit", { ...emit, payload: { status: "\0" } }, "bad_payload", 400);
    await app.refused("/events/emit", { ...emit, payload: { status: "x".repeat(262_144) } }, "payload_too_large", 413);
    await app.refused("/events/emit", { ...emit, id: "x".repeat(257) }, "bad_request", 400);
    await app.refused("/events/emit", { ...emit, to: "ada" }, "to_refused", 400);
    await app.refused("/events/emit", turn, "to_required", 400);
    for (const to of [[], "", " ", ["ada", ""]]) await app.refused("/events/emit", { ...turn, to }, "to_required", 400);
    await app.refused("/events/emit", { ...turn, to: Array.from({ length: 1_001 }, (_, user) => `u${String(user)}`) }, "bad_request", 400);
  });

  exercise("a long text is cut to 4 KiB on a whole character", async (app) => {
    await app.publish(CRAWL);
    await app.subscribe();
    await app.emit({ text: "ü".repeat(4_000) });
    const text = (await app.wakes())[0]?.text ?? "";
    assert.ok(Buffer.byteLength(text) <= 4_096 && Buffer.byteLength(text) > 4_090);
    assert.match(text, /^ü+…$/);
  });
}
