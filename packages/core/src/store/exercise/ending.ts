import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { hashOf, HOUR } from "./world.ts";

export function exerciseEnding(exercise: Exercise): void {
  exercise("ends what matches every given field, and only that", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    const target = await world.subscribed({ user: "anna", arguments: '{"job":"7"}' });
    const others = [
      await world.subscribed({ user: "anna", arguments: '{"job":"8"}' }),
      await world.subscribed({ user: "berta", arguments: '{"job":"7"}' }),
      await world.subscribed({ user: "anna", arguments: '{"job":"7"}', event: "crawl.failed" }),
      await world.subscribed({ user: "anna", arguments: '{"job":"7"}', appId: "app_b" }),
      await world.subscribed({ arguments: '{"job":"7"}' }),
    ];
    const filter = { appId: "app_a", user: "anna", event: "crawl.finished", arguments: '{"job":"7"}' };
    assert.equal(await world.store.endSubscriptions(filter, "revoked", world.clock.now()), 1);
    assert.equal((await world.resolve(target.ticket)).kind, "ended");
    for (const other of others) assert.equal((await world.resolve(other.ticket)).kind, "live");
    assert.equal(await world.store.endSubscriptions(filter, "revoked", world.clock.now()), 0);
  });

  exercise("ends what has the given arguments among its own, compared by value", async (world) => {
    const made = [
      '{"team":"red"}',
      '{"branch":"main","team":"red"}',
      '{"branch":"dev","team":"red"}',
      '{"team":"blue"}',
      '{"branch":"red"}',
      '{"a.\\"b":{"x":[1,null]},"n":1,"s":"1","t":true}',
      '{"n":null,"s":1,"t":"true"}',
    ];
    const ends = async (including: string): Promise<readonly number[]> => {
      const all = await Promise.all(made.map((args) => world.subscribed({ arguments: args })));
      const filter = { appId: "app_a", argumentsIncluding: including };
      const ended = await world.store.endSubscriptions(filter, "ended", world.clock.now());
      const live = await Promise.all(all.map(async (one) => (await world.resolve(one.ticket)).kind === "live"));
      await world.store.endSubscriptions({ appId: "app_a" }, "ended", world.clock.now());
      assert.equal(ended, live.filter((one) => !one).length);
      return [...live.keys()].filter((n) => live[n] === false);
    };
    assert.deepEqual(await ends('{"team":"red"}'), [0, 1, 2]);
    assert.deepEqual(await ends('{"branch":"dev","team":"red"}'), [2]);
    assert.deepEqual(await ends('{"a.\\"b":{"x":[1,null]}}'), [5]);
    assert.deepEqual(await ends('{"a.\\"b":{"x":[1]}}'), []);
    assert.deepEqual(
      [await ends('{"n":1}'), await ends('{"n":null}'), await ends('{"s":1}'), await ends('{"t":true}')],
      [[5], [6], [6], [5]],
    );
    assert.deepEqual(await ends('{"nowhere":null}'), []);
  });

  exercise("ends by the path it was made through", async (world) => {
    const tool = await world.subscribed();
    const generic = await world.subscribed({ via: "subscribe_events", tool: "subscribe_events" });
    const filter = { appId: "app_a", event: "crawl.finished", via: ["subscribe_events", "native"] as const };
    assert.equal(await world.store.endSubscriptions(filter, "revoked", world.clock.now()), 1);
    assert.deepEqual([(await world.resolve(tool.ticket)).kind, (await world.resolve(generic.ticket)).kind], ["live", "ended"]);
  });

  exercise("what ended is not delivered any more, a leased wake included, and its lease is gone", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.claim(subscribed);
    await world.store.endSubscriptions({ appId: "app_a", id: subscribed.subscription.id }, "ended", world.clock.now());
    assert.equal(await world.ack(subscribed, "e1"), "late");
    assert.deepEqual(await world.store.claim(subscribed.subscription.id, "t", 1), { wakes: [], gap: false, retryInMs: undefined });
  });

  exercise("thousands end in one call, each once, and the route is empty then", async (world) => {
    const told = world.record();
    await Promise.all(Array.from({ length: 1_200 }, () => world.subscribe()));
    assert.equal(await world.matched(), 1_200);
    assert.equal(await world.store.endSubscriptions({ appId: "app_a", event: "crawl.finished" }, "ended", world.clock.now()), 1_200);
    assert.equal(new Set(told.ended).size, 1_200);
    assert.equal(told.ended.length, 1_200);
    assert.equal(await world.matched(), 0);
  });
}

export function exerciseExpiry(exercise: Exercise): void {
  exercise("a list shows live ones only, by conversation, user or app", async (world) => {
    const anna = await world.subscribed({ user: "anna" });
    await world.subscribed({ user: "anna", expiresAt: world.clock.now() + HOUR });
    await world.subscribed({ user: "berta" });
    world.clock.advance(HOUR);
    const list = async (filter: object) => (await world.store.listSubscriptions({ appId: "app_a", ...filter }, world.clock.now())).length;
    assert.deepEqual(
      [
        await list({ user: "anna" }),
        await list({ conversationId: anna.subscription.conversationId }),
        await list({}),
        await list({ user: "nobody" }),
      ],
      [1, 1, 2, 0],
    );
    assert.deepEqual(await world.store.listSubscriptions({ appId: "app_none" }, world.clock.now()), []);
  });

  exercise("an expired subscription leaves the count at once, and listeners hear of it by the next write", async (world) => {
    const told = world.record();
    const subscribed = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    await world.subscribed();
    world.clock.advance(HOUR);
    assert.equal((await world.emit("e1")).matched, 1);
    assert.deepEqual(told.ended, [`${subscribed.subscription.id} expired`]);
  });

  exercise("housekeeping ends what expired without any other write", async (world) => {
    const told = world.record();
    await Promise.all(Array.from({ length: 250 }, () => world.subscribe({ expiresAt: world.clock.now() + HOUR })));
    world.clock.advance(HOUR);
    while (await world.store.prune(world.clock.now(), 24 * HOUR));
    assert.equal(told.ended.length, 250);
    assert.equal(await world.matched(hashOf("route")), 0);
  });
}
