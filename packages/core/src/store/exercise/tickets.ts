import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { hashOf, HOLDER, HOUR } from "./world.ts";

const THIEF = hashOf("another holder");

export function exerciseTickets(exercise: Exercise): void {
  exerciseRenewedTickets(exercise);

  exercise("resolves in the order asked; one unknown ticket doesn't disturb the good ones", async (world) => {
    const one = await world.subscribed();
    const two = await world.subscribed();
    const resolutions = await world.store.resolveTickets([one.ticket, hashOf("never issued"), two.ticket], HOLDER, world.clock.now());
    assert.deepEqual(
      resolutions.map((resolution) => resolution.kind),
      ["live", "unknown", "live"],
    );
    assert.deepEqual(
      resolutions.map((resolution) => resolution.ticketHash),
      [one.ticket, hashOf("never issued"), two.ticket],
    );
    const [first] = resolutions;
    assert.deepEqual(first?.kind === "live" ? first.subscription : undefined, one.subscription);
  });

  exercise("a ticket's first use binds it: for every other holder it is unknown, also after a reopen", async (world) => {
    const subscribed = await world.subscribed();
    await world.emit("e1");
    await world.reopen();
    assert.equal((await world.resolve(subscribed.ticket, THIEF)).kind, "unknown");
    assert.equal(await world.ack(subscribed, "e1", "handed", THIEF), "unknown");
    const [ended] = await world.store.endByTickets([subscribed.ticket], THIEF, world.clock.now());
    assert.equal(ended?.kind, "unknown");
    assert.equal((await world.resolve(subscribed.ticket)).kind, "live");
    assert.deepEqual(await world.claim(subscribed), ["e1"]);
  });

  exercise("of two holders that show a new ticket at the same instant, one gets it", async (world) => {
    const input = world.subscribeInput();
    await world.store.subscribe(input);
    const resolutions = await Promise.all([world.resolve(input.ticketHash), world.resolve(input.ticketHash, THIEF)]);
    assert.deepEqual(
      resolutions.map((resolution) => resolution.kind),
      ["live", "unknown"],
    );
  });

  exercise("a session key is no ticket", async (world) => {
    const input = world.subscribeInput();
    await world.store.subscribe(input);
    assert.equal((await world.resolve(input.newConversation.sessionHash)).kind, "unknown");
  });

  exercise("ends a subscription by its ticket, and tells listeners and later readers so", async (world) => {
    const told = world.record();
    const subscribed = await world.subscribed();
    await world.emit("e1");
    const [ended, unknown] = await world.store.endByTickets([subscribed.ticket, hashOf("none")], HOLDER, world.clock.now());
    assert.deepEqual(ended, {
      kind: "ended",
      ticketHash: subscribed.ticket,
      subscriptionId: subscribed.subscription.id,
      reason: "unsubscribed",
    });
    assert.equal(unknown?.kind, "unknown");
    assert.deepEqual(told.ended, [`${subscribed.subscription.id} unsubscribed`]);
    assert.deepEqual(await world.claim(subscribed), []);
    assert.deepEqual(await world.resolve(subscribed.ticket), ended);
    assert.deepEqual(await world.store.endByTickets([subscribed.ticket], HOLDER, world.clock.now()), [ended]);
    assert.equal(await world.matched(), 0);
  });

  exercise("an expired ticket is ended, before housekeeping has come by as well", async (world) => {
    const subscribed = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    world.clock.advance(HOUR);
    const resolution = await world.resolve(subscribed.ticket);
    assert.deepEqual(resolution.kind === "ended" ? resolution.reason : resolution.kind, "expired");
  });
}

function exerciseRenewedTickets(exercise: Exercise): void {
  exercise("the first use of a renewed subscription's new ticket retires the older one, which stays good until then", async (world) => {
    const told = world.record();
    const first = await world.subscribed();
    const input = world.subscribeInput({ conversationId: first.subscription.conversationId });
    await world.store.subscribe(input);
    assert.equal((await world.resolve(first.ticket)).kind, "live");
    assert.equal((await world.resolve(input.ticketHash)).kind, "live");
    assert.deepEqual(told.retired, [first.ticket]);
    const older = await world.resolve(first.ticket);
    assert.deepEqual(older, { kind: "ended", ticketHash: first.ticket, subscriptionId: first.subscription.id, reason: "replaced" });
    assert.deepEqual(told.ended, []);
  });

  exercise("a ticket whose first use is an ack is bound to who acked", async (world) => {
    const input = world.subscribeInput();
    await world.store.subscribe(input);
    await world.emit("e1");
    const [result] = await world.store.ack(
      [{ ticketHash: input.ticketHash, occurrenceId: "e1", state: "handed" }],
      HOLDER,
      world.clock.now(),
    );
    assert.equal(result, "ok");
    assert.equal((await world.resolve(input.ticketHash, hashOf("another"))).kind, "unknown");
    assert.equal((await world.resolve(input.ticketHash)).kind, "live");
  });

  exercise("an ack by a replaced ticket of the same holder counts; by one of another holder it is late", async (world) => {
    const first = await world.subscribed();
    await world.emit("e1");
    await world.emit("e2");
    await world.claim(first);
    const renewed = world.subscribeInput({ conversationId: first.subscription.conversationId });
    await world.store.subscribe(renewed);
    await world.resolve(renewed.ticketHash);
    assert.equal(await world.ack(first, "e1"), "ok");

    const again = world.subscribeInput({ conversationId: first.subscription.conversationId });
    await world.store.subscribe(again);
    await world.resolve(again.ticketHash, hashOf("new machine"));
    assert.equal(await world.ack(first, "e2"), "late");
  });

  exercise("a replaced ticket ends nothing", async (world) => {
    const first = await world.subscribed();
    const renewed = await world.subscribed({ conversationId: first.subscription.conversationId });
    const [ended] = await world.store.endByTickets([first.ticket], HOLDER, world.clock.now());
    assert.equal(ended?.kind === "ended" ? ended.reason : ended?.kind, "replaced");
    assert.equal((await world.resolve(renewed.ticket)).kind, "live");
  });
}
