import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { DAY, hashOf, HOLDER, HOUR } from "./world.ts";

export function exerciseSubscribing(exercise: Exercise): void {
  exerciseRenewal(exercise);

  exercise("a subscription gets what is emitted after it, and nothing from before", async (world) => {
    await world.emit("before");
    const subscribed = await world.subscribed();
    await world.emit("after");
    assert.deepEqual(await world.claim(subscribed), ["after"]);
  });

  exercise("an emit asked for before a subscribe of the same instant is before it, one asked for after is after it", async (world) => {
    const before = world.emit("before");
    const made = world.subscribed();
    const after = world.emit("after");
    await Promise.all([before, after]);
    assert.deepEqual(await world.claim(await made), ["after"]);
  });

  exercise("two routes don't cross", async (world) => {
    const one = await world.subscribed({ route: hashOf("r1"), arguments: '{"job":"1"}' });
    const two = await world.subscribed({ route: hashOf("r2"), arguments: '{"job":"2"}' });
    await world.emit("e1", { routes: [hashOf("r1")] });
    await world.emit("e2", { routes: [hashOf("r2")] });
    assert.deepEqual([await world.claim(one), await world.claim(two)], [["e1"], ["e2"]]);
  });

  exercise("keeps everything it was given, user and client of the conversation included", async (world) => {
    const input = world.subscribeInput({
      user: "ü@example",
      client: "claude-code",
      harness: "claude-code",
      once: true,
      filter: '{"c":"x"}',
      callId: "call",
    });
    const result = await world.store.subscribe(input);
    assert.equal(result.kind, "created");
    await world.reopen();
    const [listed] = await world.store.listSubscriptions({ appId: "app_a", user: "ü@example" }, world.clock.now());
    const { newConversation, eventDigest, now, replaySince, ticketHash, limit, callId, conversationId, callerLimit: _, ...kept } = input;
    assert.deepEqual(listed, {
      ...kept,
      conversationId: newConversation.id,
      createdAt: now,
      endedAt: undefined,
      endedReason: undefined,
      stranded: false,
    });
    assert.deepEqual(await world.store.findConversation("app_a", newConversation.sessionHash), {
      id: newConversation.id,
      appId: "app_a",
      user: "ü@example",
      client: "claude-code",
    });
    const unlisted = [eventDigest, replaySince, limit, callId, conversationId, ticketHash.length];
    assert.deepEqual(unlisted, [undefined, undefined, 100, "call", undefined, 64]);
  });

  exercise("a session key is good in its own app only", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    const input = world.subscribeInput();
    await world.store.subscribe(input);
    assert.equal(await world.store.findConversation("app_b", input.newConversation.sessionHash), undefined);
    assert.equal(await world.store.findConversation("app_a", hashOf("guess")), undefined);
    assert.equal(await world.store.findConversation("app_a", input.ticketHash), undefined);
  });

  exercise("a conversation of another app is not joined: the subscription gets a conversation of its own", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    const mine = await world.subscribed();
    const result = await world.subscribe({ appId: "app_b", conversationId: mine.subscription.conversationId });
    assert.ok(result.kind === "created");
    assert.notEqual(result.subscription.conversationId, mine.subscription.conversationId);
  });

  exercise("refuses one more than the limit; an ended or expired one frees its place", async (world) => {
    const first = await world.subscribed({ limit: 2 });
    const conversationId = first.subscription.conversationId;
    const more = (n: number, ttl = DAY) =>
      world.subscribe({ conversationId, limit: 2, arguments: `{"job":"n${n}"}`, expiresAt: world.clock.now() + ttl });
    assert.equal((await more(2, HOUR)).kind, "created");
    assert.equal((await more(3)).kind, "limit");
    await world.store.endByTickets([first.ticket], HOLDER, world.clock.now());
    assert.equal((await more(4)).kind, "created");
    assert.equal((await more(5)).kind, "limit");
    world.clock.advance(HOUR);
    assert.equal((await more(6)).kind, "created");
  });
}

function exerciseRenewal(exercise: Exercise): void {
  exercise("the same conversation, event and arguments again renews: same id, cursor kept, once and expiry new", async (world) => {
    const first = await world.subscribed();
    const conversationId = first.subscription.conversationId;
    await world.emit("e1");
    const renewed = await world.subscribed({ conversationId, once: true, expiresAt: world.clock.now() + 9 * DAY });
    assert.equal(renewed.subscription.id, first.subscription.id);
    assert.deepEqual([renewed.subscription.once, renewed.subscription.expiresAt], [true, world.clock.now() + 9 * DAY]);
    assert.equal(await world.matched(hashOf("route")), 1);
    assert.deepEqual(await world.claim(renewed), ["e1"]);
  });

  exercise("a renewal at the limit is no new place", async (world) => {
    const first = await world.subscribed({ limit: 1 });
    assert.equal((await world.subscribe({ conversationId: first.subscription.conversationId, limit: 1 })).kind, "renewed");
  });

  exercise("other arguments, another event or another conversation make another subscription", async (world) => {
    const first = await world.subscribed();
    const conversationId = first.subscription.conversationId;
    assert.equal((await world.subscribe({ conversationId, arguments: '{"job":"2"}' })).kind, "created");
    assert.equal((await world.subscribe({ conversationId, event: "crawl.failed" })).kind, "created");
    assert.equal((await world.subscribe({})).kind, "created");
  });

  exercise("what has ended or expired is not renewed but made anew", async (world) => {
    const first = await world.subscribed({ expiresAt: world.clock.now() + HOUR });
    const conversationId = first.subscription.conversationId;
    world.clock.advance(HOUR);
    const second = await world.subscribed({ conversationId });
    assert.notEqual(second.subscription.id, first.subscription.id);
    await world.store.endByTickets([second.ticket], HOLDER, world.clock.now());
    assert.equal((await world.subscribe({ conversationId })).kind, "created");
    assert.equal(await world.matched(), 1);
  });

  exercise(
    "a tool's subscription stays the tool's when it is renewed by another path, and becomes the tool's when a tool renews it",
    async (world) => {
      const first = await world.subscribed();
      const conversationId = first.subscription.conversationId;
      const again = await world.subscribed({ conversationId, via: "subscribe_events", tool: "subscribe_events" });
      assert.deepEqual([again.subscription.via, again.subscription.tool], ["tool", "start_crawl"]);
      const other = await world.subscribed({ conversationId, event: "x", via: "subscribe_events", tool: "subscribe_events" });
      const byTool = await world.subscribed({ conversationId, event: "x" });
      assert.deepEqual([other.subscription.via, byTool.subscription.via], ["subscribe_events", "tool"]);
    },
  );
}
