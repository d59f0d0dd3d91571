import assert from "node:assert/strict";
import { LIMITS } from "@wakeshift/protocol";
import type { Exercise } from "./world.ts";
import { hashOf, HOLDER, HOUR } from "./world.ts";

export function exerciseClaims(exercise: Exercise): void {
  exercise("hands out the oldest first, up to the limit, everything the wake needs included", async (world) => {
    const subscribed = await world.subscribed();
    for (const id of ["e1", "e2", "e3"]) await world.emit(id);
    const { wakes, gap, retryInMs } = await world.store.claim(subscribed.subscription.id, "t", 2);
    assert.deepEqual(
      wakes.map((wake) => wake.occurrenceId),
      ["e1", "e2"],
    );
    const [wake] = wakes;
    assert.deepEqual(wake, {
      subscriptionId: subscribed.subscription.id,
      seq: wake?.seq,
      occurrenceId: "e1",
      event: "crawl.finished",
      arguments: '{"job":"1"}',
      payload: '{"status":"done"}',
      text: "The crawl is done.",
      emittedAt: world.clock.now(),
    });
    assert.deepEqual([gap, retryInMs], [false, LIMITS.leaseMs]);
    assert.deepEqual(await world.claim(subscribed), ["e3"]);
  });

  exercise("what is out with one taker is not offered to another, nor twice to the same; it says when to come back", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    assert.deepEqual(await world.claim(subscribed, "one"), ["e1"]);
    world.clock.advance(10_000);
    for (const taker of ["one", "two"]) {
      const { wakes, retryInMs } = await world.store.claim(subscribed.subscription.id, taker, 5);
      assert.deepEqual([wakes, Math.ceil(retryInMs ?? 0)], [[], LIMITS.leaseMs - 10_000]);
    }
  });

  exercise("a taker that acks nothing is still offered what comes later", async (world) => {
    const subscribed = await world.subscribed();
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => world.emit(`e${n}`)));
    const offered: string[] = [];
    for (let claims = 0; claims < 10; claims += 1) offered.push(...(await world.claim(subscribed, "t", 100)));
    assert.equal(new Set(offered).size, 1_000);
  });

  exercise("of ten takers at the same instant, one gets it", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    const claims = await Promise.all(Array.from({ length: 10 }, (_, n) => world.claim(subscribed, `taker-${n}`)));
    assert.deepEqual(claims.flat(), ["e1"]);
  });

  exercise("an unacked wake is offered again after its lease, whatever the wall clock does meanwhile", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.claim(subscribed, "one");
    world.clock.stepWall(HOUR);
    assert.deepEqual(await world.claim(subscribed, "two"), []);
    world.clock.stepWall(-2 * HOUR);
    world.clock.advance(LIMITS.leaseMs);
    assert.deepEqual(await world.claim(subscribed, "two"), ["e1"]);
  });

  exercise("a taker whose connection closed gives back what it held, at once, and others are told", async (world) => {
    const told = world.record();
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.claim(subscribed, "one");
    await world.store.release("two");
    assert.deepEqual(await world.claim(subscribed, "two"), []);
    await world.store.release("one");
    assert.deepEqual(told.available, [subscribed.subscription.id]);
    assert.deepEqual(await world.claim(subscribed, "two"), ["e1"]);
  });

  exercise("an unacked wake is offered again after a reopen, an acked one is not", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.emit("e2");
    await world.claim(subscribed);
    await world.ack(subscribed, "e1");
    await world.reopen();
    assert.deepEqual(await world.claim(subscribed), ["e2"]);
  });

  exercise("nothing is claimed of a subscription that ended, expired or never was", async (world) => {
    const ended = await world.subscribed();
    const expiring = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    await world.emit("e1");
    await world.store.endByTickets([ended.ticket], HOLDER, world.clock.now());
    world.clock.advance(HOUR);
    assert.deepEqual([await world.claim(ended), await world.claim(expiring)], [[], []]);
    assert.deepEqual(await world.store.claim("sub_none", "t", 1), { wakes: [], gap: false, retryInMs: undefined });
  });
}

export function exerciseAcks(exercise: Exercise): void {
  exercise("PC-40 an ack that comes after another taker's is late and changes nothing; there is no third offer", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    assert.deepEqual(await world.claim(subscribed, "one"), ["e1"]);
    world.clock.advance(LIMITS.leaseMs);
    assert.deepEqual(await world.claim(subscribed, "two"), ["e1"]);
    assert.equal(await world.ack(subscribed, "e1"), "ok");
    assert.equal(await world.ack(subscribed, "e1"), "late");
    world.clock.advance(LIMITS.leaseMs);
    assert.deepEqual(await world.claim(subscribed, "three"), []);
  });

  exercise("acks may come out of order, and each counts for itself", async (world) => {
    const subscribed = await world.subscribed();
    for (const id of ["e1", "e2", "e3"]) await world.emit(id);
    await world.claim(subscribed);
    assert.equal(await world.ack(subscribed, "e3"), "ok");
    assert.equal(await world.ack(subscribed, "e1"), "ok");
    await world.store.release("taker");
    assert.deepEqual(await world.claim(subscribed), ["e2"]);
    await world.ack(subscribed, "e2");
    await world.reopen();
    assert.deepEqual(await world.claim(subscribed), []);
  });

  exercise("seen after handed is for the timeline: ok once, then late; seen alone counts as handed", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.emit("e2");
    await world.claim(subscribed);
    assert.deepEqual(
      [await world.ack(subscribed, "e1"), await world.ack(subscribed, "e1", "seen"), await world.ack(subscribed, "e1", "seen")],
      ["ok", "ok", "late"],
    );
    assert.deepEqual([await world.ack(subscribed, "e2", "seen"), await world.ack(subscribed, "e2")], ["ok", "late"]);
    await world.store.release("taker");
    assert.deepEqual(await world.claim(subscribed), []);
  });

  exercise("what isn't this subscription's business can't be acked", async (world) => {
    await world.emit("before");
    const subscribed = await world.subscribed();
    await world.emit("elsewhere", { routes: [hashOf("elsewhere")] });
    await world.emit("mine");
    for (const id of ["before", "elsewhere", "never emitted"]) assert.equal(await world.ack(subscribed, id), "unknown");
    assert.deepEqual(await world.claim(subscribed), ["mine"]);
  });

  exercise("acks of one call are answered in order, the bad ones among them not spoiling the good", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    const ack = (ticketHash: string, occurrenceId: string) => ({ ticketHash, occurrenceId, state: "handed" as const });
    const acks = [ack(hashOf("none"), "e1"), ack(subscribed.ticket, "e1"), ack(subscribed.ticket, "e1"), ack(subscribed.ticket, "none")];
    assert.deepEqual(await world.store.ack(acks, HOLDER, world.clock.now()), ["unknown", "ok", "late", "unknown"]);
  });

  exercise("an ack after the subscription ended or expired is late", async (world) => {
    const ended = await world.subscribed();
    const expiring = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    await world.emit("e1");
    await world.store.endByTickets([ended.ticket], HOLDER, world.clock.now());
    world.clock.advance(HOUR);
    assert.deepEqual([await world.ack(ended, "e1"), await world.ack(expiring, "e1")], ["late", "late"]);
  });

  exercise("two subscriptions of one route are handed and acked each for itself", async (world) => {
    const one = await world.subscribed();
    const two = await world.subscribed();
    await world.emit("e1");
    await world.claim(one);
    await world.ack(one, "e1");
    assert.deepEqual([await world.claim(one), await world.claim(two)], [[], ["e1"]]);
  });
}

export function exerciseOnce(exercise: Exercise): void {
  exercise("once has one wake outstanding at most, and ends with the first that is handed", async (world) => {
    const told = world.record();
    const subscribed = await world.subscribed({ once: true });
    await world.emit("e1");
    await world.emit("e2");
    assert.deepEqual(await world.claim(subscribed, "one"), ["e1"]);
    assert.deepEqual(await world.claim(subscribed, "two"), []);
    assert.equal(await world.ack(subscribed, "e1"), "ok");
    assert.deepEqual(told.ended, [`${subscribed.subscription.id} delivered`]);
    assert.deepEqual(await world.claim(subscribed, "two"), []);
    assert.deepEqual([await world.ack(subscribed, "e2"), await world.ack(subscribed, "e1")], ["late", "late"]);
    assert.equal((await world.emit("e3")).matched, 0);
  });

  exercise("once still records that its turn was seen, after it has ended", async (world) => {
    const subscribed = await world.subscribed({ once: true });
    await world.emit("e1");
    await world.claim(subscribed);
    assert.deepEqual(
      [await world.ack(subscribed, "e1"), await world.ack(subscribed, "e1", "seen"), await world.ack(subscribed, "e1", "seen")],
      ["ok", "ok", "late"],
    );
  });

  exercise("PC-40 once ends once and frees its place once, however often it is acked", async (world) => {
    const told = world.record();
    const subscribed = await world.subscribed({ once: true });
    const other = await world.subscribed();
    await world.emit("e1");
    await world.claim(subscribed);
    await Promise.all(Array.from({ length: 5 }, () => world.ack(subscribed, "e1")));
    assert.deepEqual(told.ended, [`${subscribed.subscription.id} delivered`]);
    assert.equal(await world.matched(), 1);
    assert.equal((await world.resolve(other.ticket)).kind, "live");
  });

  exercise("a once renewed while its wake is out outlives that wake's ack, and ends with the next occurrence", async (world) => {
    for (const renewedBy of ["the same ticket", "its new ticket"]) {
      const told = world.record();
      const route = hashOf(renewedBy);
      const made = await world.subscribed({ once: true, route });
      await world.emit(`${renewedBy} 1`, { routes: [route] });
      assert.deepEqual(await world.claim(made), [`${renewedBy} 1`]);
      const renewal = world.subscribeInput({ once: true, route, conversationId: made.subscription.conversationId });
      assert.equal((await world.store.subscribe(renewal)).kind, "renewed");
      if (renewedBy === "its new ticket") await world.resolve(renewal.ticketHash);
      await world.emit(`${renewedBy} 2`, { routes: [route] });
      assert.deepEqual(await world.claim(made, "two"), []);
      assert.equal(await world.ack(made, `${renewedBy} 1`), "ok");
      assert.deepEqual([told.ended, told.available], [[], [made.subscription.id]]);
      await world.reopen();
      const renewed = { ...made, ticket: renewal.ticketHash };
      assert.equal((await world.resolve(renewed.ticket)).kind, "live");
      const toldThen = world.record();
      assert.deepEqual(await world.claim(renewed, "two"), [`${renewedBy} 2`]);
      assert.equal(await world.ack(renewed, `${renewedBy} 2`), "ok");
      assert.deepEqual(toldThen.ended, [`${made.subscription.id} delivered`]);
      assert.equal(await world.matched(route), 0);
    }
  });

  exercise("what was emitted before a renewal as once is handed and doesn't end it, whatever it was before", async (world) => {
    for (const once of [true, false]) {
      const route = hashOf(`once ${once}`);
      const made = await world.subscribed({ once, route });
      for (const id of ["a", "b"]) await world.emit(`${once} ${id}`, { routes: [route] });
      const renewed = await world.subscribed({ once: true, route, conversationId: made.subscription.conversationId });
      for (const id of ["a", "b"]) {
        assert.deepEqual(await world.claim(renewed), [`${once} ${id}`]);
        assert.equal(await world.ack(renewed, `${once} ${id}`), "ok");
      }
      await world.emit(`${once} c`, { routes: [route] });
      await world.claim(renewed);
      assert.equal(await world.ack(renewed, `${once} c`), "ok");
      assert.equal((await world.resolve(renewed.ticket)).kind, "ended");
    }
  });

  exercise("a replayed occurrence ends a new once", async (world) => {
    await world.emit("e1");
    const subscribed = await world.subscribed({ once: true, replaySince: 0 });
    assert.deepEqual(await world.claim(subscribed), ["e1"]);
    await world.ack(subscribed, "e1");
    assert.equal((await world.resolve(subscribed.ticket)).kind, "ended");
  });
}
