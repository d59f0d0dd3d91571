import assert from "node:assert/strict";
import type { SubscriptionRecord } from "../../engine/store.ts";
import type { Exercise, Subscribed, World } from "./world.ts";
import { DAY, HOUR } from "./world.ts";

async function isLive(world: World, subscribed: Subscribed): Promise<boolean> {
  const all = await world.store.listSubscriptions({ appId: "app_a", id: subscribed.subscription.id }, world.clock.now());
  return all.length === 1;
}

const rollback = (world: World, callId: string): Promise<number> => world.store.rollbackCall("app_a", callId, world.clock.now());

/** The subscription as it is now. */
async function now(world: World, { subscription: { id } }: Subscribed): Promise<SubscriptionRecord | undefined> {
  return (await world.store.listSubscriptions({ appId: "app_a", id }, world.clock.now()))[0];
}

/** Renews within a call, on other terms: once, by another tool and program, for so long. */
function renew(world: World, made: Subscribed, callId: string | undefined, ttl: number): Promise<Subscribed> {
  const { conversationId } = made.subscription;
  const expiresAt = world.clock.now() + ttl;
  return world.subscribed({ conversationId, callId, expiresAt, once: true, tool: "watch_crawl", harness: "opencode" });
}

export function exerciseCalls(exercise: Exercise): void {
  exerciseTakenBackRenewals(exercise);

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

function exerciseTakenBackRenewals(exercise: Exercise): void {
  exercise("a rolled back call gives what it only renewed the terms it had before, cursor kept, also after a reopen", async (world) => {
    for (const via of ["tool", "subscribe_events"] as const) {
      const made = await world.subscribed({ callId: `made by ${via}`, via, tool: via, expiresAt: world.clock.now() + 30 * DAY });
      const { seq } = await world.emit(`${via} 1`);
      const [handed] = await world.claim(made);
      await world.ack(made, handed ?? "");
      for (const ttl of [HOUR, 40 * DAY]) {
        const callId = `${via} ${ttl}`;
        await renew(world, made, callId, ttl);
        // The same call once more: what it found at first is what comes back.
        const renewed = await renew(world, made, callId, ttl + HOUR);
        assert.notDeepEqual(renewed.subscription, made.subscription);
        if (ttl === HOUR) await world.reopen();
        assert.equal(await rollback(world, callId), 0);
        assert.deepEqual(await now(world, made), made.subscription);
      }
      const { wakes } = await world.store.claim(made.subscription.id, "taker", 5);
      assert.equal(
        wakes.some((wake) => wake.seq <= seq),
        false,
      );
    }
    world.clock.advance(2 * HOUR);
    assert.equal(await world.matched(), 2);
  });

  exercise("a subscription whose shortened life is taken back still ends when its own is over", async (world) => {
    const told = world.record();
    const made = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    await renew(world, made, "c2", DAY);
    await rollback(world, "c2");
    world.clock.advance(HOUR);
    assert.equal(await world.matched(), 0);
    assert.deepEqual(told.ended, [`${made.subscription.id} expired`]);
  });

  exercise(
    "a renewal that came on top of a failed call's keeps its own terms, and gives back those of neither if it fails, too",
    async (world) => {
      for (const later of ["c3", undefined]) {
        const [maker, failed] = [`maker under ${later}`, `failed under ${later}`];
        const made = await world.subscribed({ callId: maker });
        await renew(world, made, failed, HOUR);
        const top = await renew(world, made, later, 2 * HOUR);
        assert.equal(await rollback(world, failed), 0);
        assert.deepEqual(await now(world, made), top.subscription);
        if (later === undefined) continue;
        assert.equal(await rollback(world, later), 0);
        assert.deepEqual(await now(world, made), made.subscription);
        assert.equal(await rollback(world, maker), 1);
        assert.equal(await now(world, made), undefined);
      }
    },
  );

  exercise("of renewals that fail from the newest on, each gives back the one below", async (world) => {
    const made = await world.subscribed();
    const first = await renew(world, made, "c1", HOUR);
    await renew(world, made, "c2", 2 * HOUR);
    await rollback(world, "c2");
    assert.deepEqual(await now(world, made), first.subscription);
    await rollback(world, "c1");
    assert.deepEqual(await now(world, made), made.subscription);
  });

  exercise("once as it was before: a wake that was out when a failed call renewed ends it", async (world) => {
    const made = await world.subscribed({ once: true });
    await world.emit("e1");
    await world.claim(made);
    const { conversationId } = made.subscription;
    await world.subscribe({ conversationId, callId: "c2", once: true });
    await rollback(world, "c2");
    assert.equal(await world.ack(made, "e1"), "ok");
    assert.equal((await world.resolve(made.ticket)).kind, "ended");
  });
}
