import assert from "node:assert/strict";
import type { Exercise, World } from "./world.ts";
import { DAY, HOLDER, hashOf, HOUR } from "./world.ts";

async function pruneAll(world: World, retentionMs: number = DAY): Promise<void> {
  while (await world.store.prune(world.clock.now(), retentionMs));
}

export function exerciseRetention(exercise: Exercise): void {
  exercise("what is younger than retention stays, what is older goes, and its id is free again", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("old");
    world.clock.advance(HOUR);
    await world.emit("young");
    world.clock.advance(DAY - HOUR);
    await pruneAll(world);
    assert.deepEqual(await world.claim(subscribed), ["young"]);
    assert.deepEqual([(await world.emit("old")).duplicate, (await world.emit("young")).duplicate], [false, true]);
  });

  exercise("a subscription that lost occurrences to retention is told once, then goes on", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("lost");
    world.clock.advance(DAY);
    await pruneAll(world);
    await world.emit("next");
    const first = await world.store.claim(subscribed.subscription.id, "t", 5);
    assert.deepEqual([first.gap, first.wakes.map((wake) => wake.occurrenceId)], [true, ["next"]]);
    await world.emit("later");
    const second = await world.store.claim(subscribed.subscription.id, "t", 5);
    assert.deepEqual([second.gap, second.wakes.map((wake) => wake.occurrenceId)], [false, ["later"]]);
  });

  exercise("a gap is not claimed where all was handed, or where a subscription came later", async (world) => {
    const prompt = await world.subscribed();
    await world.emit("handed");
    await world.claim(prompt);
    await world.ack(prompt, "handed");
    const later = await world.subscribed();
    const elsewhere = await world.subscribed({ route: hashOf("elsewhere") });
    world.clock.advance(DAY);
    await pruneAll(world);
    for (const subscribed of [prompt, later, elsewhere])
      assert.equal((await world.store.claim(subscribed.subscription.id, "t", 5)).gap, false);
  });

  exercise("seqs go on where they were after everything was removed and the store reopened", async (world) => {
    const subscribed = await world.subscribed();
    const { seq } = await world.emit("e1");
    await world.claim(subscribed);
    await world.ack(subscribed, "e1");
    world.clock.advance(DAY);
    await pruneAll(world);
    await world.reopen();
    assert.ok((await world.emit("e2")).seq > seq);
    assert.deepEqual(await world.claim(subscribed), ["e2"]);
  });

  exercise("prunes in steps: many old occurrences, and ones to many users, take several, and emits go on between them", async (world) => {
    const routes = Array.from({ length: 300 }, (_, n) => hashOf(`user-${n}`));
    await Promise.all(Array.from({ length: 350 }, (_, n) => world.emit(`e${n}`, n % 100 === 0 ? { routes } : {})));
    world.clock.advance(DAY);
    let steps = 0;
    while (await world.store.prune(world.clock.now(), DAY)) {
      steps += 1;
      await world.emit(`between-${steps}`);
    }
    assert.ok(steps >= 4, `${steps} steps`);
    assert.equal((await world.emit("e0")).duplicate, false);
    assert.equal((await world.emit("between-1")).duplicate, true);
  });

  exercise("one emitted while the clock was ahead doesn't hold retention up for ever", async (world) => {
    world.clock.stepWall(400 * DAY);
    await world.emit("from the future");
    world.clock.stepWall(-400 * DAY);
    await world.emit("e1");
    world.clock.advance(DAY);
    await pruneAll(world);
    assert.deepEqual([(await world.emit("from the future")).duplicate, (await world.emit("e1")).duplicate], [false, false]);
  });

  exercise("a subscription that ended long ago is forgotten with its ticket and session key; a live one keeps both", async (world) => {
    const gone = world.subscribeInput();
    const kept = world.subscribeInput();
    await world.store.subscribe(gone);
    await world.store.subscribe(kept);
    await world.resolve(gone.ticketHash);
    await world.resolve(kept.ticketHash);
    await world.store.endByTickets([gone.ticketHash], HOLDER, world.clock.now());
    world.clock.advance(DAY);
    await pruneAll(world);
    assert.equal((await world.resolve(gone.ticketHash)).kind, "unknown");
    assert.equal(await world.store.findConversation("app_a", gone.newConversation.sessionHash), undefined);
    assert.equal((await world.resolve(kept.ticketHash)).kind, "live");
    assert.notEqual(await world.store.findConversation("app_a", kept.newConversation.sessionHash), undefined);
  });

  exercise("is healthy while it can write", async (world) => {
    assert.deepEqual(await world.store.health(), { writable: true });
  });
}
