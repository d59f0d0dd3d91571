import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { hashOf, HOUR } from "./world.ts";

export function exerciseReplay(exercise: Exercise): void {
  exercise("replay gives the newest occurrence since then, and what comes after", async (world) => {
    await world.emit("e1");
    await world.emit("e2");
    const subscribed = await world.subscribed({ replaySince: world.clock.now() - HOUR });
    await world.emit("e3");
    assert.deepEqual(await world.claim(subscribed), ["e2", "e3"]);
  });

  exercise("replay gives nothing that is older than asked, nor of another route", async (world) => {
    await world.emit("old");
    world.clock.advance(2 * HOUR);
    await world.emit("elsewhere", { routes: [hashOf("elsewhere")] });
    const subscribed = await world.subscribed({ replaySince: world.clock.now() - HOUR });
    assert.deepEqual(await world.claim(subscribed), []);
  });

  exercise("replay passes over what the optional arguments exclude", async (world) => {
    await world.emit("red", { payload: '{"color":"red"}' });
    await world.emit("blue", { payload: '{"color":"blue"}' });
    const subscribed = await world.subscribed({ filter: '{"color":"red"}', replaySince: world.clock.now() - HOUR });
    await world.emit("red2", { payload: '{"color":"red"}' });
    assert.deepEqual(await world.claim(subscribed), ["red", "red2"]);
  });

  exercise(
    "replay finds what lies behind many excluded ones, keeps no write waiting meanwhile, and gives up at some point",
    async (world) => {
      const emitBlue = (n: number): Promise<unknown> =>
        Promise.all(Array.from({ length: n }, (_each, i) => world.emit(`blue-${String(n)}-${String(i)}`, { payload: '{"color":"blue"}' })));
      await world.emit("red", { payload: '{"color":"red"}' });
      await emitBlue(1_500);
      const red = { filter: '{"color":"red"}', replaySince: 0 };
      const order: string[] = [];
      const subscribing = world.subscribed(red).finally(() => order.push("subscribed"));
      await world.emit("other", { routes: [hashOf("elsewhere")] });
      order.push("emitted");
      assert.deepEqual(await world.claim(await subscribing), ["red"]);
      assert.deepEqual(order, ["emitted", "subscribed"]);
      const late = world.subscribed(red);
      await world.emit("red2", { payload: '{"color":"red"}' });
      assert.deepEqual(await world.claim(await late), ["red2"]);
      assert.deepEqual(await world.claim(await world.subscribed({ filter: '{"color":"green"}', replaySince: 0 })), []);
    },
  );

  exercise("a replayed occurrence is acked like any other", async (world) => {
    await world.emit("e1");
    const subscribed = await world.subscribed({ replaySince: 0, once: true });
    assert.deepEqual(await world.claim(subscribed), ["e1"]);
    assert.equal(await world.ack(subscribed, "e1"), "ok");
    assert.equal((await world.resolve(subscribed.ticket)).kind, "ended");
  });

  exercise("a renewal with replay brings nothing back that was handed", async (world) => {
    const first = await world.subscribed();
    await world.emit("e1");
    await world.claim(first);
    await world.ack(first, "e1");
    const renewed = await world.subscribed({ conversationId: first.subscription.conversationId, replaySince: 0 });
    assert.deepEqual(await world.claim(renewed), []);
  });
}

export function exerciseFilters(exercise: Exercise): void {
  exercise("optional arguments are matched on the emit's argument, else on the payload's field", async (world) => {
    const subscribed = await world.subscribed({ filter: '{"color":"red"}' });
    await world.emit("payload", { payload: '{"color":"red"}' });
    await world.emit("argument", { arguments: '{"color":"red","job":"1"}', payload: '{"color":"blue"}' });
    await world.emit("other", { payload: '{"color":"blue"}' });
    await world.emit("other argument", { arguments: '{"color":"blue","job":"1"}', payload: '{"color":"red"}' });
    await world.emit("none", { payload: "{}" });
    assert.deepEqual(await world.claim(subscribed), ["payload", "argument"]);
  });

  exercise("what a filter excludes needs no ack and can't be acked", async (world) => {
    const subscribed = await world.subscribed({ filter: '{"n":2}', once: true });
    await world.emit("n1", { payload: '{"n":1}' });
    await world.emit("n2", { payload: '{"n":2}' });
    assert.deepEqual(await world.claim(subscribed), ["n2"]);
    assert.equal(await world.ack(subscribed, "n1"), "unknown");
    assert.equal(await world.ack(subscribed, "n2"), "ok");
  });

  exercise("one match behind thousands that don't is found by claiming on", async (world) => {
    const subscribed = await world.subscribed({ filter: '{"n":-1}' });
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => world.emit(`e${n}`, { payload: `{"n":${n}}` })));
    await world.emit("it", { payload: '{"n":-1}' });
    const found: string[] = [];
    for (let claims = 0; found.length === 0 && claims < 50; claims += 1) {
      const { wakes, retryInMs } = await world.store.claim(subscribed.subscription.id, "t", 5);
      found.push(...wakes.map((wake) => wake.occurrenceId));
      assert.ok(retryInMs !== undefined, "a claim that doesn't say when to go on has looked at everything");
    }
    assert.deepEqual(found, ["it"]);
  });
}
