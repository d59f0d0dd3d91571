import assert from "node:assert/strict";
import { routeText } from "@wakeshift/protocol";
import type { EventRecord, Hash, SubscribeInput } from "../../store.ts";
import { event, put } from "../apps.ts";
import type { Exercise, Subscribed, World } from "../world.ts";
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
      assert.deepEqual(closing, { changed: [`a.e${n}`], closed: [{ name: `a.e${n}`, ended: 2 }], unreachable: [] });
      assert.deepEqual(told.ended.sort(), [generic, native].map((one) => `${one.subscription.id} revoked`).sort());
      assert.equal(await world.ack(generic, `e${n}`), "late");
      for (const one of kept) assert.equal((await world.resolve(one.ticket)).kind, "live");
      assert.equal(await world.matched(route), 2);
      assert.deepEqual(await put(world, [event(`a.e${n}`)]), { changed: [], closed: [], unreachable: [] });
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
  exercise("a closing that takes many steps is in force with its first write, and nothing gets past it meanwhile", async (world) => {
    await put(world, [event("a.open", { access: ["public"] })]);
    const inputs = Array.from({ length: 1_100 }, () => world.subscribeInput({ event: "a.open", via: "native" }));
    await Promise.all(inputs.map((input) => world.store.subscribe(input)));
    const last = inputs.at(-1);
    assert.ok(last !== undefined);
    await world.resolve(last.ticketHash);
    await world.emit("e1", { event: "a.open" });
    assert.deepEqual(await world.claim({ subscription: { id: last.id } as never, ticket: last.ticketHash }), ["e1"]);
    const told = world.record();
    const inTime = { kinds: new Set<string>(), claimed: 0, acked: [] as string[], listed: 0, steps: 0 };
    const stop = world.store.listen({
      ended: () => {
        if (told.ended.length === 1_100) return;
        inTime.steps += 1;
        // Between two steps: as if it had ended.
        void world.resolve(last.ticketHash).then(({ kind }) => inTime.kinds.add(kind));
        void world.store.claim(last.id, "other", 5).then(({ wakes }) => (inTime.claimed += wakes.length));
        const filter = { appId: "app_a", event: "a.open" };
        void world.store.listSubscriptions(filter, world.clock.now()).then((list) => (inTime.listed += list.length));
        void world
          .ack({ subscription: { id: last.id } as never, ticket: last.ticketHash }, "e1")
          .then((result) => inTime.acked.push(result));
      },
    });
    assert.deepEqual((await put(world, [event("a.open")])).closed, [{ name: "a.open", ended: 1_100 }]);
    stop();
    assert.equal(new Set(told.ended).size, 1_100);
    assert.ok(inTime.steps >= 2, "it was one write");
    assert.deepEqual([[...inTime.kinds], inTime.claimed, inTime.listed], [["ended"], 0, 0]);
    assert.ok(inTime.acked.every((result) => result === "late"));
    assert.equal(await world.matched(), 0);
  });

  exercise("what subscribes again while a closing goes on and the event is open again is not ended by that closing", async (world) => {
    const open = event("a.open", { access: ["public"] });
    await put(world, [open]);
    await Promise.all(Array.from({ length: 1_100 }, () => world.subscribe({ event: "a.open", via: "native" })));
    const of = { event: "a.open", via: "subscribe_events" } as const;
    const first = await world.subscribed(of);
    const closing = put(world, [event("a.open")]);
    await new Promise<void>((resolve) => void world.store.listen({ ended: () => resolve() }));
    const reopening = put(world, [open]);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    const again = await world.subscribed({ ...of, conversationId: first.subscription.conversationId });
    assert.notEqual(again.subscription.id, first.subscription.id);
    await Promise.all([closing, reopening]);
    assert.deepEqual([(await world.resolve(again.ticket)).kind, (await world.resolve(first.ticket)).kind], ["live", "ended"]);
  });

  exercise("a closing that a stop cut off goes on after it, and is told to the next publish of its event, once", async (world) => {
    await put(world, [event("a.open", { access: ["public"] })]);
    await Promise.all(Array.from({ length: 1_100 }, () => world.subscribe({ event: "a.open", via: "subscribe_events" })));
    const told = world.record();
    const cutOff = put(world, [event("a.open")]).catch((error: unknown) => error);
    await new Promise<void>((resolve) => void world.store.listen({ ended: () => resolve() }));
    await world.reopen();
    await cutOff;
    assert.ok(told.ended.length < 1_100, "nothing was left to go on with");
    const now = world.clock.now();
    assert.deepEqual(await world.store.listSubscriptions({ appId: "app_a", event: "a.open" }, now), []);
    while (await world.store.prune(now, DAY));
    assert.equal(await world.matched(), 0);
    const again = await Promise.all([put(world, [event("a.open")]), put(world, [event("a.open")])]);
    assert.deepEqual(again.map((one) => one.closed).flat(), [{ name: "a.open", ended: 1_100 }]);
    assert.deepEqual(await put(world, [event("a.open")]), { changed: [], closed: [], unreachable: [] });
  });
}

export function exerciseClosingOnce(exercise: Exercise): void {
  exercise("of many publishes at once, one is told what closed", async (world) => {
    await put(world, [event("a.open", { access: undefined }), event("a.two", { access: undefined })]);
    await world.subscribe({ event: "a.open", via: "native" });
    const results = await Promise.all(Array.from({ length: 8 }, () => put(world, [event("a.open"), event("a.two")])));
    assert.deepEqual(
      results.flatMap((one) => one.closed).sort((a, b) => b.ended - a.ended),
      [
        { name: "a.open", ended: 1 },
        { name: "a.two", ended: 0 },
      ],
    );
  });

  exercise(
    "a closing whose publisher left before it was through is told to the next publish, also to one that comes meanwhile",
    async (world) => {
      const publish = (isHeard: () => boolean): ReturnType<typeof put> =>
        world.store.putEvents([event("a.one")], world.clock.now(), undefined, isHeard);
      for (const meanwhile of [true, false]) {
        await put(world, [event("a.one", { access: ["public"] })]);
        await Promise.all(Array.from({ length: 1_100 }, () => world.subscribe({ event: "a.one", via: "subscribe_events" })));
        let here = true;
        const first = publish(() => here);
        await new Promise<void>((resolve) => void world.store.listen({ ended: () => resolve() }));
        here = false;
        if (!meanwhile) assert.deepEqual((await first).closed, []);
        const [second, third] = [publish(() => true), publish(() => true)];
        assert.deepEqual([(await second).closed, (await third).closed], [[{ name: "a.one", ended: 1_100 }], []]);
        assert.deepEqual((await first).closed, []);
        assert.deepEqual((await put(world, [event("a.one")])).closed, []);
      }
    },
  );

  exercise("a failed call that had renewed another path's subscription leaves it to the closing that came meanwhile", async (world) => {
    await put(world, [event("a.open", { access: ["public"] })]);
    const made = await world.subscribed({ event: "a.open", via: "subscribe_events" });
    const { conversationId } = made.subscription;
    const renewal = { event: "a.open", conversationId, callId: "call-1" };
    assert.equal((await world.subscribe(renewal)).kind, "renewed");
    assert.deepEqual((await put(world, [event("a.open")])).closed, [{ name: "a.open", ended: 0 }]);
    assert.equal((await world.resolve(made.ticket)).kind, "live");
    await world.store.rollbackCall("app_a", "call-1", world.clock.now());
    assert.deepEqual(await world.resolve(made.ticket), {
      kind: "ended",
      ticketHash: made.ticket,
      subscriptionId: made.subscription.id,
      reason: "revoked",
    });
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
  exercise("keeps every change of openness, the newest first, and nothing of a publish that changes none", async (world) => {
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
      { event: "a.one", at: world.clock.now(), before: [], after: ["authorize"], sdk: "typescript 0.11.1", ended: 0, unreachable: 0 },
      { event: "a.one", at: closedAt, before: undefined, after: [], sdk: "typescript 0.11.0", ended: 1, unreachable: 0 },
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

/** Subscribes to `a.one` while it is personal, or shared. */
function subscribeTo(world: World, personal: boolean, over: Partial<SubscribeInput>): Promise<Subscribed> {
  return world.subscribed({ event: "a.one", route: routeOf("a.one", personal ? over.user : undefined), ...over });
}

const emit = (world: World, id: string, ...users: (string | undefined)[]): Promise<{ readonly matched: number }> =>
  world.emit(id, { event: "a.one", routes: users.map((user) => routeOf("a.one", user)) });
const be = (world: World, ...access: NonNullable<EventRecord["access"]>): ReturnType<typeof put> =>
  put(world, [event("a.one", { access })]);

export function exerciseMoving(exercise: Exercise): void {
  exercise("what stays of a personal event that closes moves to its shared route, and takes what was its own along", async (world) => {
    await be(world, "personal");
    const [anna, berta] = [await subscribeTo(world, true, { user: "anna" }), await subscribeTo(world, true, { user: "berta" })];
    const other = await subscribeTo(world, true, { user: "anna", via: "subscribe_events" });
    await emit(world, "for anna", "anna");
    await emit(world, "for both", "anna", "berta");
    assert.deepEqual(await world.claim(berta, "taker", 1), ["for both"]);
    const told = world.record();
    assert.deepEqual((await be(world)).closed, [{ name: "a.one", ended: 1 }]);
    assert.deepEqual(told.ended, [`${other.subscription.id} revoked`]);
    assert.equal((await emit(world, "for all", undefined)).matched, 2);
    await world.reopen();
    assert.deepEqual(await world.claim(anna), ["for anna", "for both", "for all"]);
    assert.equal(await world.ack(berta, "for anna"), "unknown");
    assert.equal(await world.ack(berta, "for both"), "ok");
    assert.deepEqual(await world.claim(berta), ["for all"]);
    for (const id of ["for both", "for anna", "for all"]) assert.equal(await world.ack(anna, id), "ok");
    assert.deepEqual(await world.claim(anna, "later"), []);
    await emit(world, "once more", undefined);
    assert.deepEqual(await world.claim(anna), ["once more"]);
    assert.equal(await world.matched(routeOf("a.one", "anna")), 0);
  });

  exercise("what was open and becomes personal goes on for its users alone; a subscription of nobody ends", async (world) => {
    await put(world, [event("a.one", { access: undefined })]);
    const anna = await subscribeTo(world, false, { user: "anna", via: "native" });
    const berta = await subscribeTo(world, false, { user: "berta" });
    const nobody = await subscribeTo(world, false, {});
    await emit(world, "before", undefined);
    const told = world.record();
    assert.deepEqual((await be(world, "personal")).closed, []);
    assert.deepEqual(told.ended, [`${nobody.subscription.id} revoked`]);
    assert.deepEqual(
      told.moved.sort(),
      [anna, berta].map(({ subscription }) => `${subscription.id} ${routeOf("a.one", subscription.user)}`).sort(),
    );
    assert.equal((await emit(world, "for anna", "anna")).matched, 1);
    assert.deepEqual([await world.claim(anna), await world.claim(berta)], [["before", "for anna"], ["before"]]);
    assert.deepEqual((await world.store.listAccessChanges("app_a", 1))[0]?.ended, 1);
  });

  exercise("one that moves there and back, again and again, loses nothing and gets nothing that wasn't its own", async (world) => {
    await be(world, "public");
    const anna = await subscribeTo(world, false, { user: "anna" });
    const expected: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await emit(world, `shared ${turn}`, undefined);
      await be(world, "personal");
      await be(world, "public");
      await be(world, "personal");
      await emit(world, `hers ${turn}`, "anna");
      await emit(world, `another's ${turn}`, "berta");
      await be(world, "public");
      expected.push(`shared ${turn}`, `hers ${turn}`);
    }
    assert.deepEqual(await world.claim(anna, "one", 2), expected.slice(0, 2));
    for (const id of expected.slice(0, 2)) await world.ack(anna, id);
    assert.deepEqual(await world.claim(anna, "one", 20), expected.slice(2));
    for (const id of expected.slice(2).reverse()) assert.equal(await world.ack(anna, id), "ok");
    await world.reopen();
    assert.deepEqual(await world.claim(anna), []);
    assert.equal((await emit(world, "last", undefined)).matched, 1);
    assert.deepEqual(await world.claim(anna), ["last"]);
  });

  exercise("a change that a stop cut off moves the rest afterwards, with what was emitted meanwhile", async (world) => {
    await be(world, "personal");
    const inputs = Array.from({ length: 1_100 }, () =>
      world.subscribeInput({ event: "a.one", user: "anna", route: routeOf("a.one", "anna") }),
    );
    await Promise.all(inputs.map((input) => world.store.subscribe(input)));
    const cutOff = be(world).catch((error: unknown) => error);
    await new Promise<void>((resolve) => void world.store.listen({ moved: () => resolve() }));
    await world.reopen();
    await cutOff;
    await emit(world, "meanwhile", undefined);
    while (await world.store.prune(world.clock.now(), DAY));
    for (const input of [inputs[0], inputs.at(-1)]) {
      assert.ok(input !== undefined);
      const claimed = await world.store.claim(input.id, "taker", 5);
      assert.deepEqual(
        claimed.wakes.map((wake) => wake.occurrenceId),
        ["meanwhile"],
      );
    }
    assert.equal((await emit(world, "then", undefined)).matched, 1_100);
  });
}

export function exerciseMovingForEver(exercise: Exercise): void {
  exercise("one that moves for ever gets what was its own at each place, and no more, also when the oldest is gone", async (world) => {
    await be(world, "public");
    const [anna, berta] = [await subscribeTo(world, false, { user: "anna" }), await subscribeTo(world, false, { user: "berta" })];
    const expected: Record<"anna" | "berta", string[]> = { anna: [], berta: [] };
    for (let turn = 0; turn < 60; turn += 1) {
      const personal = turn % 2 === 0;
      await be(world, personal ? "personal" : "public");
      // Emitted by the other way than the event has now: nobody's, whenever one moves over it.
      await emit(world, `nobody's ${turn}`, personal ? undefined : "anna");
      await world.emit(`another event's ${turn}`);
      if (turn % 3 === 0) await emit(world, `anna's ${turn}`, personal ? "anna" : undefined);
      if (turn % 3 === 0) expected.anna.push(`anna's ${turn}`);
      if (turn % 3 === 0 && !personal) expected.berta.push(`anna's ${turn}`);
      if (turn === 29) {
        assert.deepEqual(await world.claim(anna, "taker", 50), expected.anna);
        for (const id of expected.anna) await world.ack(anna, id);
        expected.anna = [];
        world.clock.advance(2 * DAY);
        while (await world.store.prune(world.clock.now(), DAY));
        expected.berta = [];
      }
    }
    await world.reopen();
    assert.deepEqual(await world.claim(anna, "taker", 50), expected.anna);
    assert.deepEqual(await world.claim(berta, "taker", 50), expected.berta);
    for (const id of expected.anna) assert.equal(await world.ack(anna, id, "seen"), "ok");
    assert.equal(await world.ack(anna, "nobody's 58"), "unknown");
  });
}
