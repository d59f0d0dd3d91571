import assert from "node:assert/strict";
import { BUILD, CRAWL, GATED, NEWS, TURN } from "./contract-app.ts";
import type { Exercise } from "./contract-app.ts";

export function exercisePublishing(exercise: Exercise): void {
  exercise("publishing twice changes nothing the second time, and events left out are kept", async (app) => {
    assert.deepEqual((await app.publish(CRAWL, BUILD)).body, { events: 2, changed: true, closed: [] });
    assert.deepEqual((await app.publish(CRAWL)).body, { events: 2, changed: false, closed: [] });
    await app.emit({ name: BUILD.name, arguments: { repo: "r" } });
  });

  exercise("a manifest with a bad event is refused whole, by the code of its fault", async (app) => {
    const refuse = (event: object, code: string): Promise<unknown> =>
      app.refused("/manifest", { sdk: { language: "typescript", version: "0.11.0" }, events: [CRAWL, event] }, code, 400);
    await refuse({ ...BUILD, name: "Build Done" }, "bad_event");
    await refuse({ ...BUILD, name: "wakeshift.done" }, "bad_event");
    await refuse({ ...BUILD, arguments: { type: "string" } }, "bad_event");
    await refuse({ ...BUILD, payload: { type: "object", properties: { a: { pattern: "(" } } } }, "bad_event");
    await refuse(CRAWL, "bad_event");
    await refuse({ ...BUILD, arguments: { type: "object", properties: { wakeshift_voucher: {} } } }, "reserved_argument");
    await refuse({ ...BUILD, access: ["public", "personal"] }, "bad_openness");
    await refuse({ ...BUILD, access: ["authorize", "public"] }, "bad_openness");
    await app.refused("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "x" } }, "unknown_event", 404);
  });

  exercise("an event that becomes tools-only ends what other paths than tools had subscribed, and says how many", async (app) => {
    await app.publish(NEWS);
    const news = { name: NEWS.name, arguments: {} };
    const byTool = await app.subscribe(news);
    const byBuiltIn = await app.subscribe(news, { tool: "subscribe_events" });
    assert.deepEqual((await app.publish({ ...NEWS, access: [] })).body.closed, [{ name: NEWS.name, ended: 1 }]);
    const emitted = await app.emit(news);
    assert.equal(emitted.matched, 1);
    assert.deepEqual(await app.wokenEach(byTool, byBuiltIn), [[emitted.id], []]);
    assert.deepEqual((await app.publish({ ...NEWS, access: [] })).body, {
      events: 1,
      changed: false,
      closed: [{ name: NEWS.name, ended: 1 }],
    });
    assert.deepEqual((await app.publish(NEWS)).body.closed, []);
    await app.subscribe(news, { tool: "subscribe_events" });
  });

  exercise(
    "an event that becomes personal, or shared, ends nobody; each subscription is matched while the event is as it was made for",
    async (app) => {
      await app.publish(TURN);
      const request = { name: TURN.name, arguments: { table: "t" } };
      const [ada, bob] = [await app.subscribe(request, { user: "ada" }), await app.subscribe(request, { user: "bob" })];
      const hers = await app.emit({ ...request, to: "ada" });
      const shut = (await app.publish({ ...TURN, access: [] })).body;
      assert.deepEqual(shut, {
        events: 1,
        changed: true,
        closed: [{ name: TURN.name, ended: 0 }],
        stranded: [{ name: TURN.name, live: 2 }],
      });
      assert.equal((await app.emit(request)).matched, 0);
      const nobody = await app.subscribe(request);
      assert.deepEqual((await app.publish(TURN)).body.stranded, [{ name: TURN.name, live: 1 }]);
      const his = await app.emit({ ...request, to: "bob" });
      assert.deepEqual(await app.wokenEach(ada, bob, nobody), [[hers.id], [his.id], []]);
    },
  );

  exercise(
    "what an event's other required arguments strand is said at each publish, and kept; who subscribes again has a second one",
    async (app) => {
      const widened = { ...BUILD, arguments: { ...BUILD.arguments, required: ["repo", "branch"] } };
      await app.publish(BUILD);
      const request = { name: BUILD.name, arguments: { repo: "r", branch: "b" } };
      const [plain, made] = [await app.subscribe({ name: BUILD.name, arguments: { repo: "r" } }), await app.subscribe(request)];
      const first = await app.emit(request);
      for (const changed of [true, false]) {
        const stranded = [{ name: BUILD.name, live: 2 }];
        assert.deepEqual((await app.publish(widened)).body, { events: 1, changed, closed: [], stranded });
      }
      assert.equal((await app.emit(request)).matched, 0);
      const again = await app.subscribe(request, { session: made.session });
      assert.deepEqual([again.id === made.id, again.created], [false, true]);
      const second = await app.emit(request);
      assert.equal(second.matched, 1);
      assert.deepEqual((await app.publish(BUILD)).body.stranded, [{ name: BUILD.name, live: 1 }]);
      const third = await app.emit(request);
      assert.equal(third.matched, 2);
      assert.deepEqual(await app.wokenEach(plain, made, again), [[first.id, third.id], [first.id, third.id], [second.id]]);
    },
  );

  exercise("only its app's tools subscribe to an event that declares nothing, whatever the request calls itself", async (app) => {
    await app.publish(CRAWL, NEWS, GATED, TURN);
    await app.subscribe();
    for (const [changes, call] of [
      [{}, { tool: "subscribe_events" }],
      [{ via: "tool" }, { tool: "subscribe_events" }],
      [{ via: "subscribe_events" }, {}],
      // The openness comes first, so that a closed event tells nothing about itself.
      [{ arguments: {} }, { tool: "subscribe_events" }],
    ] as const)
      await app.refused("/event-subscriptions", app.request(changes, call), "not_open", 403);
    await app.subscribe({ name: NEWS.name, arguments: {} }, { tool: "subscribe_events" });
    await app.subscribe({ name: GATED.name }, { tool: "subscribe_events" });
    await app.subscribe({ name: TURN.name, arguments: { table: "t" } }, { tool: "subscribe_events", user: "ada" });
  });

  exercise("a part that isn't there answers unsupported", async (app) => {
    await app.publish(CRAWL);
    await app.refused("/event-subscriptions", app.request({ native: true }), "unsupported", 501);
    await app.refused("/events/publish-urls", {}, "unsupported", 501);
  });
}
