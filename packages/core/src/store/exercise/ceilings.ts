import assert from "node:assert/strict";
import type { Exercise, World } from "./world.ts";
import { DAY, HOUR } from "./world.ts";

async function pruneAll(world: World): Promise<void> {
  while (await world.store.prune(world.clock.now(), 7 * DAY));
}

export function exerciseCeilings(exercise: Exercise): void {
  exercise(
    "a subscription whose ticket nobody used within a day ends, unclaimed, in steps; a used or renewed one goes on",
    async (world) => {
      const told = world.record();
      const unused = Array.from({ length: 150 }, () => world.subscribeInput());
      for (const input of unused) await world.store.subscribe(input);
      const renewed = world.subscribeInput();
      await world.store.subscribe(renewed);
      const used = await world.subscribed();
      world.clock.advance(DAY - HOUR);
      await world.subscribe({ conversationId: renewed.newConversation.id });
      await pruneAll(world);
      assert.deepEqual(told.ended, []);
      world.clock.advance(HOUR);
      assert.equal(await world.store.prune(world.clock.now(), 7 * DAY), true);
      assert.ok(told.ended.length < unused.length, "one step ended all");
      await pruneAll(world);
      assert.deepEqual(new Set(told.ended), new Set(unused.map(({ id }) => `${id} unclaimed`)));
      const late = await world.resolve(unused[0]?.ticketHash ?? "");
      assert.deepEqual([late.kind, "reason" in late && late.reason], ["ended", "unclaimed"]);
      assert.equal((await world.resolve(used.ticket)).kind, "live");
      world.clock.advance(DAY);
      await pruneAll(world);
      assert.equal(told.ended.at(-1), `${renewed.id} unclaimed`);
      assert.equal((await world.resolve(used.ticket)).kind, "live");
    },
  );

  exercise("one user of an app, and all callers without one together, have as many live subscriptions as they may", async (world) => {
    const subscribe = async (over: Parameters<World["subscribe"]>[0]): Promise<string> =>
      (await world.subscribe({ callerLimit: 2, ...over })).kind;
    for (const user of ["anna", undefined]) {
      assert.deepEqual(
        [await subscribe({ user }), await subscribe({ user }), await subscribe({ user })],
        ["created", "created", "caller_limit"],
      );
    }
    assert.equal(await subscribe({ user: "bob" }), "created");
    await world.store.endSubscriptions({ appId: "app_a", user: "anna" }, "ended", world.clock.now());
    assert.equal(await subscribe({ user: "anna" }), "created");
    assert.equal(await subscribe({ user: undefined }), "caller_limit");
  });
}
