import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { DAY, hashOf, HOUR } from "./world.ts";

export function exerciseWrongClock(exercise: Exercise): void {
  exercise("a wall clock that is weeks ahead for a moment ends nothing for good, and nothing is delivered meanwhile", async (world) => {
    const subscribed = await world.subscribed({ newConversation: { id: "c", sessionHash: hashOf("s") } });
    const gone = await world.subscribed();
    await world.emit("before");
    assert.deepEqual(await world.claim(subscribed), ["before"]);
    world.clock.stepWall(21 * DAY);
    world.clock.advance(12_000);
    await world.emit("meanwhile");
    assert.equal(await world.ack(subscribed, "before"), "ok");
    const held = await world.store.claim(subscribed.subscription.id, "taker", 10);
    assert.deepEqual([held.wakes, held.retryInMs !== undefined], [[], true]);
    assert.equal((await world.resolve(subscribed.ticket)).kind, "live");
    while (await world.store.prune(world.clock.now() - 21 * DAY, 7 * DAY));
    assert.equal(await world.store.endSubscriptions({ appId: "app_a", id: gone.subscription.id }, "ended", world.clock.now()), 1);
    world.clock.stepWall(-21 * DAY);
    assert.deepEqual(await world.claim(subscribed), ["meanwhile"]);
    assert.equal((await world.resolve(gone.ticket)).kind, "ended");
  });

  exercise(
    "while the wall clock is weeks ahead, what is due by the time before ends, users are forgotten, and emits are stored",
    async (world) => {
      const due = await world.subscribed({ expiresAt: world.clock.now() + 60_000 });
      const anna = await world.subscribed({ user: "anna" });
      world.clock.stepWall(21 * DAY);
      world.clock.advance(120_000);
      const told = world.record();
      assert.equal((await world.emit("e1")).duplicate, false);
      assert.deepEqual(told.ended, [`${due.subscription.id} expired`]);
      assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), true);
      assert.equal((await world.resolve(anna.ticket)).kind, "unknown");
    },
  );

  exercise("a wall clock that stays ahead for an hour is believed, and what expired by it ends", async (world) => {
    const { ticket } = await world.subscribed();
    world.clock.stepWall(21 * DAY);
    await world.emit("e1");
    world.clock.advance(HOUR);
    assert.equal((await world.emit("e2")).matched, 0);
    const resolution = await world.resolve(ticket);
    assert.deepEqual([resolution.kind, resolution.kind === "ended" ? resolution.reason : ""], ["ended", "expired"]);
  });
}
