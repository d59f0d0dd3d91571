import assert from "node:assert/strict";
import type { Exercise, Subscribed, World } from "./world.ts";

async function isLive(world: World, subscribed: Subscribed): Promise<boolean> {
  const all = await world.store.listSubscriptions({ appId: "app_a", id: subscribed.subscription.id }, world.clock.now());
  return all.length === 1;
}

const rollback = (world: World, callId: string): Promise<number> => world.store.rollbackCall("app_a", callId, world.clock.now());

export function exerciseCalls(exercise: Exercise): void {
  exercise("a rolled back call ends what it made, and tells why", async (world) => {
    const told = world.record();
    const made = await world.subscribed({ callId: "c1" });
    const other = await world.subscribed({ callId: "c2" });
    await world.emit("e1");
    assert.equal(await rollback(world, "c1"), 1);
    assert.deepEqual(told.ended, [`${made.subscription.id} rolled_back`]);
    assert.deepEqual([await world.claim(made), await world.claim(other)], [[], ["e1"]]);
    assert.equal((await world.resolve(made.ticket)).kind, "ended");
    assert.equal(await world.matched(), 1);
  });

  exercise("a rolled back call leaves what it only renewed", async (world) => {
    const made = await world.subscribed({ callId: "c1" });
    await world.subscribed({ callId: "c2", conversationId: made.subscription.conversationId });
    assert.equal(await rollback(world, "c2"), 0);
    assert.equal(await isLive(world, made), true);
    await world.emit("e1");
    assert.deepEqual(await world.claim(made), ["e1"]);
  });

  exercise("what a failed call made and a later call renewed passes to that one", async (world) => {
    const made = await world.subscribed({ callId: "c1" });
    await world.subscribed({ callId: "c2", conversationId: made.subscription.conversationId });
    assert.equal(await rollback(world, "c1"), 0);
    assert.equal(await isLive(world, made), true);
    assert.equal(await rollback(world, "c2"), 1);
    assert.equal(await isLive(world, made), false);
  });

  exercise("when the renewing call fails first and the making one then, nothing is left", async (world) => {
    const made = await world.subscribed({ callId: "c1" });
    await world.subscribed({ callId: "c2", conversationId: made.subscription.conversationId });
    assert.equal(await rollback(world, "c2"), 0);
    assert.equal(await rollback(world, "c1"), 1);
    assert.equal(await isLive(world, made), false);
  });

  exercise("a renewal outside any call takes a subscription out of its maker's reach", async (world) => {
    const made = await world.subscribed({ callId: "c1" });
    await world.subscribed({ conversationId: made.subscription.conversationId });
    assert.equal(await rollback(world, "c1"), 0);
    assert.equal(await isLive(world, made), true);
  });

  exercise("a subscribe that arrives after its call was rolled back is refused, also after a reopen", async (world) => {
    assert.equal(await rollback(world, "late"), 0);
    assert.equal((await world.subscribe({ callId: "late" })).kind, "call_closed");
    await world.reopen();
    assert.equal((await world.subscribe({ callId: "late" })).kind, "call_closed");
    assert.equal(await world.matched(), 0);
  });

  exercise("a second rollback is fine and ends nothing", async (world) => {
    await world.subscribed({ callId: "c1" });
    assert.deepEqual([await rollback(world, "c1"), await rollback(world, "c1")], [1, 0]);
    assert.equal(await world.matched(), 0);
  });

  exercise("another app can't roll a call back", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    const made = await world.subscribed({ callId: "c1" });
    assert.equal(await world.store.rollbackCall("app_b", "c1", world.clock.now()), 0);
    assert.equal(await isLive(world, made), true);
  });
}
