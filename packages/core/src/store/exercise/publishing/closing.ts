import assert from "node:assert/strict";
import { routeText } from "@wakeshift/protocol";
import type { EventRecord, Hash } from "../../../engine/store.ts";
import { event, put } from "../apps.ts";
import type { Exercise } from "../world.ts";
import { DAY, hashOf, HOUR } from "../world.ts";

const others = ["subscribe_events", "native"] as const;

/** The route of an event for job 1, as the core makes it. */
function routeOf(name: string, user?: string): Hash {
  const parts = { app: "app_a", event: name, required: { job: "1" } };
  return hashOf(routeText(user === undefined ? parts : { ...parts, user }));
}

export function exerciseClosing(exercise: Exercise): void {
  exercise("an open event that becomes tools-only ends what other paths than tools subscribed, and says how many", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    const forms: EventRecord["access"][] = [undefined, ["public"], ["authorize"], ["personal"]];
    await put(
      world,
      forms.flatMap((access, n) => [event(`a.e${n}`, { access }), event(`a.e${n}`, { access, appId: "app_b" })]),
    );
    for (const n of forms.keys()) {
      const told = world.record();
      const route = routeOf(`a.e${n}`);
      const of = { event: `a.e${n}`, route };
      const tool = await world.subscribed(of);
      const [generic, native] = [await world.subscribed({ ...of, via: others[0] }), await world.subscribed({ ...of, via: others[1] })];
      const kept = [
        tool,
        await world.subscribed({ ...of, appId: "app_b", via: others[0] }),
        await world.subscribed({ event: "a.other", via: others[0] }),
      ];
      await world.emit(`e${n}`, { event: `a.e${n}`, routes: [route] });
      assert.deepEqual(await world.claim(generic), [`e${n}`]);
      const closing = await put(world, [event(`a.e${n}`)]);
      assert.deepEqual(closing, { changed: [`a.e${n}`], closed: [{ name: `a.e${n}`, ended: 2 }], stranded: [] });
      assert.deepEqual(told.ended.sort(), [generic, native].map((one) => `${one.subscription.id} revoked`).sort());
      assert.equal(await world.ack(generic, `e${n}`), "late");
      for (const one of kept) assert.equal((await world.resolve(one.ticket)).kind, "live");
      assert.equal(await world.matched(route), 2);
    }
    await world.reopen();
    const left = await world.store.listSubscriptions({ appId: "app_a", via: others }, world.clock.now());
    assert.deepEqual([...new Set(left.map((one) => one.event))], ["a.other"]);
  });

  exercise("an event that closes and had nobody says 0; one that is new, was closed, or stays open closes nothing", async (world) => {
    await put(world, [event("a.open", { access: ["public"] }), event("a.shut"), event("a.wide", { access: undefined })]);
    const wide = await world.subscribed({ event: "a.wide", via: "subscribe_events" });
    const expired = await world.subscribed({ event: "a.open", via: "subscribe_events", expiresAt: world.clock.now() + HOUR });
    world.clock.advance(HOUR);
    const result = await put(world, [
      event("a.open", { description: "other" }),
      event("a.shut", { description: "other" }),
      event("a.new"),
      event("a.wide", { access: ["public"] }),
    ]);
    assert.deepEqual(result.closed, [{ name: "a.open", ended: 0 }]);
    assert.equal(result.changed.length, 4);
    assert.deepEqual([(await world.resolve(wide.ticket)).kind, (await world.resolve(expired.ticket)).kind], ["live", "ended"]);
  });
}

export function exerciseLongClosing(exercise: Exercise): void {
  exercise(
    "a closing that takes many steps is in force with its first write, and nothing gets past it, also after a stop",
    async (world) => {
      await put(world, [event("a.open", { access: ["public"] })]);
      const inputs = Array.from({ length: 1_100 }, () => world.subscribeInput({ event: "a.open", via: "native" }));
      await Promise.all(inputs.map((input) => world.store.subscribe(input)));
      const last = inputs.at(-1);
      assert.ok(last !== undefined);
      const subscribed = { subscription: { id: last.id } as never, ticket: last.ticketHash };
      await world.resolve(last.ticketHash);
      await world.emit("e1", { event: "a.open" });
      assert.deepEqual(await world.claim(subscribed), ["e1"]);
      const ended: string[] = [];
      world.store.listen({ ended: (ends) => void ended.push(...ends.map((one) => one.subscriptionId)) });
      assert.deepEqual((await put(world, [event("a.open")])).closed, [{ name: "a.open", ended: 1_100 }]);
      assert.ok(ended.length < 1_100 && !ended.includes(last.id), "it was one write");
      for (const stop of [false, true]) {
        if (stop) await world.reopen();
        assert.equal((await world.resolve(last.ticketHash)).kind, "ended");
        assert.deepEqual(await world.claim(subscribed, "other"), []);
        assert.equal(await world.ack(subscribed, "e1"), "late");
        assert.deepEqual(await world.store.listSubscriptions({ appId: "app_a", event: "a.open" }, world.clock.now()), []);
      }
      while (await world.store.prune(world.clock.now(), DAY));
      assert.equal(await world.matched(), 0);
    },
  );

  exercise(
    "what subscribes again once the event is open again isn't ended by the closing before, and nothing older is back",
    async (world) => {
      const open = event("a.open", { access: ["public"] });
      await put(world, [open]);
      await Promise.all(Array.from({ length: 1_100 }, () => world.subscribe({ event: "a.open", via: "native" })));
      const of = { event: "a.open", via: "subscribe_events" } as const;
      const first = await world.subscribed(of);
      await put(world, [event("a.open")]);
      await put(world, [open]);
      const again = await world.subscribed({ ...of, conversationId: first.subscription.conversationId });
      assert.notEqual(again.subscription.id, first.subscription.id);
      while (await world.store.prune(world.clock.now(), DAY));
      assert.deepEqual([(await world.resolve(again.ticket)).kind, (await world.resolve(first.ticket)).kind], ["live", "ended"]);
      assert.equal(await world.matched(), 1);
    },
  );

  exercise("a closing is stated for a minute to whoever publishes the event, so also where the first answer was lost", async (world) => {
    await put(world, [event("a.open", { access: undefined }), event("a.two", { access: undefined })]);
    await world.subscribe({ event: "a.open", via: "native" });
    const both = [event("a.open"), event("a.two")];
    const closed = [
      { name: "a.open", ended: 1 },
      { name: "a.two", ended: 0 },
    ];
    for (const result of await Promise.all(Array.from({ length: 8 }, () => put(world, both)))) assert.deepEqual(result.closed, closed);
    await world.reopen();
    world.clock.advance(59_000);
    assert.deepEqual(await put(world, both), { changed: [], closed, stranded: [] });
    assert.deepEqual((await put(world, [event("a.two", { access: ["public"] })])).closed, []);
    world.clock.advance(1_000);
    assert.deepEqual((await put(world, both)).closed, [{ name: "a.two", ended: 0 }]);
  });

  exercise("a failed call that had renewed another path's subscription leaves it to the closing that came meanwhile", async (world) => {
    for (const reopened of [false, true]) {
      await put(world, [event("a.open", { access: ["public"] })]);
      const made = await world.subscribed({ event: "a.open", via: "subscribe_events" });
      const { conversationId } = made.subscription;
      const callId = `call-${reopened}`;
      assert.equal((await world.subscribe({ event: "a.open", conversationId, callId })).kind, "renewed");
      assert.deepEqual((await put(world, [event("a.open")])).closed, [{ name: "a.open", ended: 0 }]);
      assert.equal((await world.resolve(made.ticket)).kind, "live");
      if (reopened) await put(world, [event("a.open", { access: ["public"] })]);
      await world.store.rollbackCall("app_a", callId, world.clock.now());
      const ended = { kind: "ended", ticketHash: made.ticket, subscriptionId: made.subscription.id, reason: "revoked" };
      assert.deepEqual(await world.resolve(made.ticket), ended);
    }
  });

  exercise("a subscribe that was asked for before its event closed, and comes after, is refused; a tool's isn't", async (world) => {
    await put(world, [event("a.open", { access: ["public"] })]);
    const closing = put(world, [event("a.open")]);
    const late = [world.subscribe({ event: "a.open", via: others[0] }), world.subscribe({ event: "a.open", via: others[1] })];
    const tool = world.subscribe({ event: "a.open" });
    await closing;
    for (const one of late) assert.ok(["not_open", "created"].includes((await one).kind));
    assert.equal((await tool).kind, "created");
    assert.deepEqual(await world.store.listSubscriptions({ appId: "app_a", via: others }, world.clock.now()), []);
    assert.equal((await world.subscribe({ event: "a.open", via: others[0] })).kind, "not_open");
  });
}

export function exerciseRecord(exercise: Exercise): void {
  exercise("keeps every change of access, the newest first, and nothing of a publish that changes none", async (world) => {
    const publish = (access: EventRecord["access"], sdk?: string): Promise<unknown> =>
      world.store.putEvents([event("a.one", { access })], world.clock.now(), sdk);
    await publish(undefined);
    await world.subscribe({ event: "a.one", via: "native" });
    world.clock.advance(1);
    await publish([], "typescript 0.11.0");
    await publish([], "typescript 0.11.1");
    const closedAt = world.clock.now();
    world.clock.advance(1);
    await publish(["authorize"], "typescript 0.11.1");
    await world.reopen();
    const changes = await world.store.listAccessChanges("app_a", 10);
    assert.deepEqual(changes, [
      { event: "a.one", at: world.clock.now(), before: [], after: ["authorize"], sdk: "typescript 0.11.1", ended: 0 },
      { event: "a.one", at: closedAt, before: undefined, after: [], sdk: "typescript 0.11.0", ended: 1 },
    ]);
    assert.equal((await world.store.listAccessChanges("app_a", 1)).length, 1);
    assert.deepEqual(await world.store.listAccessChanges("app_none", 10), []);
  });

  exercise(
    "of an event that is published one way and the other for ever the newest changes are kept, and those of others stay",
    async (world) => {
      await put(world, [event("a.one", { access: ["public"] }), event("a.other", { access: ["public"] })]);
      await put(world, [event("a.other")]);
      const [first, second] = [["public"], ["authorize"]] as const;
      await put(world, [event("a.one", { access: second, argumentsSchema: { type: "object", required: ["once"] } })]);
      for (let n = 0; n < 230; n += 1) await put(world, [event("a.one", { access: n % 2 === 0 ? first : second })]);
      const changes = await world.store.listAccessChanges("app_a", 1_000);
      const kept = changes.filter(({ event: name }) => name === "a.one");
      assert.ok(kept.length >= 200 && kept.length <= 202, `${kept.length} are kept`);
      assert.deepEqual(kept[0]?.after, second);
      assert.equal(changes.length - kept.length, 1);
    },
  );
}
