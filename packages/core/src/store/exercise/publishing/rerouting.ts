import assert from "node:assert/strict";
import { canonicalJson, routeText } from "@wakeshift/protocol";
import type { EmitInput, EventRecord, Hash, PutEventsResult, SubscribeInput } from "../../store.ts";
import { event, put } from "../apps.ts";
import type { Exercise, Subscribed, World } from "../world.ts";
import { DAY, hashOf, HOUR } from "../world.ts";

type Arguments = Readonly<Record<string, string>>;

const NAME = "a.one";

function requires(names: readonly string[], over: Partial<EventRecord> = {}): EventRecord {
  return event(NAME, { argumentsSchema: { type: "object", properties: { job: {}, site: {} }, required: names }, ...over });
}

/** The route and the filter of these arguments where the event requires those. */
function routed(names: readonly string[], args: Arguments, user?: string): { route: Hash; filter: string; arguments: string } {
  const pick = (wanted: boolean): Arguments => Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name) === wanted));
  const parts = { app: "app_a", event: NAME, required: pick(true) };
  return {
    route: hashOf(routeText(user === undefined ? parts : { ...parts, user })),
    filter: canonicalJson(pick(false)),
    arguments: canonicalJson(args),
  };
}

function subscribeAs(
  world: World,
  names: readonly string[],
  args: Arguments,
  over: Partial<SubscribeInput> & { readonly user?: string; readonly personal?: boolean } = {},
): Promise<Subscribed> {
  const { personal, ...rest } = over;
  return world.subscribed({ event: NAME, ...routed(names, args, personal === true ? over.user : undefined), ...rest });
}

async function emitAs(world: World, id: string, names: readonly string[], args: Arguments, user?: string): Promise<number> {
  const { route, arguments: text } = routed(names, args, user);
  return (await world.emit(id, { event: NAME, arguments: text, routes: [route] } satisfies Partial<EmitInput>)).matched;
}

const unreachableAt = async (publishing: Promise<PutEventsResult>): Promise<PutEventsResult["unreachable"]> =>
  (await publishing).unreachable;

export function exerciseRerouting(exercise: Exercise): void {
  exercise("says once how many subscriptions an event's other required arguments left behind, and keeps them", async (world) => {
    await put(world, [requires(["job"]), event("a.two")]);
    const bare = await subscribeAs(world, ["job"], { job: "1" });
    const narrowed = await subscribeAs(world, ["job"], { job: "1", site: "s" });
    const expired = await subscribeAs(world, ["job"], { job: "2" }, { expiresAt: world.clock.now() + HOUR });
    await world.subscribed({ event: "a.two" });
    world.clock.advance(HOUR);
    const told = world.record();
    const publish = (): Promise<PutEventsResult> => put(world, [requires(["job", "site"]), event("a.two")]);
    assert.deepEqual(await publish(), { changed: [NAME], closed: [], unreachable: [{ name: NAME, subscriptions: 2 }] });
    assert.deepEqual(await unreachableAt(publish()), []);
    await world.reopen();
    assert.deepEqual(await unreachableAt(put(world, [requires(["job", "site"], { description: "other", digest: hashOf("other") })])), []);
    assert.deepEqual([told.moved, told.ended], [[], [`${expired.subscription.id} expired`]]);
    assert.equal(await emitAs(world, "e1", ["job", "site"], { job: "1", site: "s" }), 0);
    for (const one of [bare, narrowed]) {
      assert.deepEqual(await world.claim(one), []);
      assert.equal((await world.resolve(one.ticket)).kind, "live");
    }
    assert.deepEqual(
      (await world.store.listAccessChanges("app_a", 10)).map(({ before, after, ended, unreachable }) => [
        before,
        after,
        ended,
        unreachable,
      ]),
      [[[], [], 0, 2]],
    );
  });

  exercise("tells nothing where the same arguments are required in another order, or nobody is left behind", async (world) => {
    await put(world, [requires(["job", "site"])]);
    await subscribeAs(world, ["job", "site"], { job: "1", site: "s" });
    assert.deepEqual(await unreachableAt(put(world, [requires(["site", "job", "site"])])), []);
    assert.deepEqual(await world.store.listAccessChanges("app_a", 10), []);
    assert.deepEqual(await unreachableAt(put(world, [requires(["job"])])), [{ name: NAME, subscriptions: 1 }]);
    await subscribeAs(world, ["job"], { job: "1" });
    assert.deepEqual(await unreachableAt(put(world, [requires(["job", "site"])])), [{ name: NAME, subscriptions: 1 }]);
    assert.equal(await emitAs(world, "e1", ["job", "site"], { job: "1", site: "s" }), 1);
    await world.store.endSubscriptions({ appId: "app_a", event: NAME }, "ended", world.clock.now());
    assert.deepEqual(await unreachableAt(put(world, [requires([])])), []);
  });

  exercise(
    "whoever subscribes to the same again is reached again, with what was on the way, and with no more than was asked for",
    async (world) => {
      await put(world, [requires(["job", "site"])]);
      const made = await subscribeAs(world, ["job", "site"], { job: "1", site: "s" });
      const { conversationId } = made.subscription;
      await emitAs(world, "before", ["job", "site"], { job: "1", site: "s" });
      await put(world, [requires(["job"])]);
      const again = await subscribeAs(world, ["job"], { job: "1", site: "s" }, { conversationId });
      assert.equal(again.subscription.id, made.subscription.id);
      assert.equal(await emitAs(world, "mine", ["job"], { job: "1", site: "s" }), 1);
      await emitAs(world, "another's", ["job"], { job: "1", site: "t" });
      await put(world, [requires(["job", "site"])]);
      await subscribeAs(world, ["job", "site"], { job: "1", site: "s" }, { conversationId });
      await emitAs(world, "back", ["job", "site"], { job: "1", site: "s" });
      await world.reopen();
      assert.deepEqual(await world.claim(again), ["before", "mine", "back"]);
      for (const id of ["before", "mine", "back"]) assert.equal(await world.ack(again, id), "ok");
      assert.deepEqual(await world.claim(again, "later"), []);
      assert.deepEqual(await unreachableAt(put(world, [requires([])])), [{ name: NAME, subscriptions: 1 }]);
    },
  );
}

export function exerciseOtherValues(exercise: Exercise): void {
  const takes = (job: object, over: Partial<EventRecord> = {}): EventRecord =>
    event(NAME, {
      argumentsSchema: { type: "object", properties: { job, site: { enum: ["s"] } }, required: ["job"], additionalProperties: false },
      digest: hashOf(JSON.stringify([job, over])),
      ...over,
    });

  exercise("says once how many subscriptions have an argument that their event takes no more, and keeps them", async (world) => {
    await put(world, [takes({ enum: ["a", "b"] }), event("a.two")]);
    const gone = await subscribeAs(world, ["job"], { job: "a" });
    const stays = await subscribeAs(world, ["job"], { job: "b", site: "s" });
    await world.subscribed({ event: "a.two", arguments: '{"job":"a"}' });
    const told = world.record();
    const publish = (): Promise<PutEventsResult> => put(world, [takes({ enum: ["b", "c"] }), event("a.two")]);
    assert.deepEqual(await publish(), { changed: [NAME], closed: [], unreachable: [{ name: NAME, subscriptions: 1 }] });
    assert.deepEqual(await unreachableAt(publish()), []);
    await world.reopen();
    for (const described of [
      { enum: ["b", "c"], description: "d" },
      { enum: ["b", "c"], title: "t" },
    ])
      assert.deepEqual(await unreachableAt(put(world, [takes(described)])), []);
    assert.deepEqual([told.moved, told.ended], [[], []]);
    assert.equal(await emitAs(world, "one", ["job"], { job: "b", site: "s" }), 1);
    assert.deepEqual(await world.claim(stays), ["one"]);
    assert.deepEqual(await unreachableAt(put(world, [takes({ type: "number" })])), [{ name: NAME, subscriptions: 2 }]);
    assert.deepEqual(await unreachableAt(put(world, [takes({ enum: ["a", "b"] })])), []);
    assert.equal(await emitAs(world, "two", ["job"], { job: "a" }), 1);
    assert.deepEqual(await world.claim(gone), ["two"]);
    assert.deepEqual(
      (await world.store.listAccessChanges("app_a", 10)).map(({ unreachable }) => unreachable),
      [0, 2, 1],
    );
  });

  exercise(
    "judges each required argument by itself: what is left out, said of all together, or can't be checked strands nobody",
    async (world) => {
      await put(world, [takes({ type: "string" })]);
      await subscribeAs(world, ["job"], { job: "a", site: "s" });
      const properties = { job: { type: "string", maxLength: 9 }, site: { enum: ["t"] } };
      for (const more of [
        { properties },
        { properties, minProperties: 5, not: {} },
        { properties: { job: { $ref: "#/allOf/0" } }, allOf: [{}] },
      ])
        assert.deepEqual(
          await unreachableAt(
            put(world, [
              event(NAME, { argumentsSchema: { type: "object", required: ["job"], ...more }, digest: hashOf(JSON.stringify(more)) }),
            ]),
          ),
          [],
        );
    },
  );

  exercise("counts values by a pattern up to the first that takes long, and is through soon", async (world) => {
    await put(world, [takes({ type: "string" })]);
    const input = (n: number): SubscribeInput =>
      world.subscribeInput({ event: NAME, ...routed(["job"], { job: `${"a".repeat(n < 20 ? 1 : 40)}!` }) });
    for (let n = 0; n < 40; n += 1) await world.store.subscribe(input(n));
    // Those that take too long aren't told of; on a busy machine some others may do so, too.
    const [{ subscriptions } = { subscriptions: 0 }] = await unreachableAt(put(world, [takes({ type: "string", pattern: "^(a+)+$" })]));
    assert.ok(subscriptions > 0 && subscriptions <= 20, `${subscriptions} counted`);
  });
}

export function exerciseReroutingWithOpenness(exercise: Exercise): void {
  exercise(
    "what becomes personal or shared and requires other arguments at once moves where its arguments still do, and to no more",
    async (world) => {
      await put(world, [requires(["job", "site"], { access: ["public"] })]);
      const anna = await subscribeAs(world, ["job", "site"], { job: "1", site: "s" }, { user: "anna" });
      assert.deepEqual(await unreachableAt(put(world, [requires(["job"], { access: ["personal"] })])), []);
      assert.equal(await emitAs(world, "mine", ["job"], { job: "1", site: "s" }, "anna"), 1);
      await emitAs(world, "another's", ["job"], { job: "1", site: "t" }, "anna");
      assert.deepEqual(await world.claim(anna), ["mine"]);
      const bare = await subscribeAs(world, ["job"], { job: "1" }, { user: "anna", personal: true });
      assert.deepEqual(await put(world, [requires(["job", "site"])]), {
        changed: [NAME],
        closed: [{ name: NAME, ended: 0 }],
        unreachable: [{ name: NAME, subscriptions: 1 }],
      });
      await emitAs(world, "shared", ["job", "site"], { job: "1", site: "s" });
      assert.deepEqual(await world.claim(anna), ["shared"]);
      assert.deepEqual(await world.claim(bare), []);
    },
  );

  exercise("of many publishes at once one is told, of any number left behind; after a stop in between the next one is", async (world) => {
    await put(world, [requires(["job"], { access: ["personal"] })]);
    const input = (n: number): SubscribeInput =>
      world.subscribeInput({ event: NAME, user: "anna", ...routed(["job"], { job: String(n) }, "anna") });
    await Promise.all(Array.from({ length: 1_100 }, (_, n) => world.store.subscribe(input(n))));
    const several = await Promise.all(Array.from({ length: 5 }, () => put(world, [requires(["site"], { access: ["personal"] })])));
    assert.deepEqual(
      several.flatMap(({ unreachable }) => unreachable),
      [{ name: NAME, subscriptions: 1_100 }],
    );
    const cutOff = put(world, [requires(["site", "job"])]).catch((error: unknown) => error);
    await new Promise<void>((resolve) => void world.store.listen({ moved: () => resolve() }));
    await world.reopen();
    await cutOff;
    while (await world.store.prune(world.clock.now(), DAY));
    assert.deepEqual(await unreachableAt(put(world, [event("a.two")])), []);
    assert.deepEqual(await unreachableAt(put(world, [requires(["site", "job"])])), [{ name: NAME, subscriptions: 1_100 }]);
    assert.deepEqual(await unreachableAt(put(world, [requires(["site", "job"])])), []);
  });

  exercise("a renewal while its event's change is under way loses nothing of what was emitted since", async (world) => {
    await put(world, [requires(["job"], { access: ["personal"] })]);
    const made = await subscribeAs(world, ["job"], { job: "1" }, { user: "anna", personal: true });
    const publishing = put(world, [requires(["job"])]);
    const renewals = [];
    for (let n = 0; n < 20; n += 1) {
      const { route, arguments: text } = routed(["job"], { job: "1" });
      renewals.push(
        world.store.emit(
          world.emitInput(`e${n}`, { event: NAME, arguments: text, routes: [route], eventDigest: requires(["job"]).digest }),
        ),
        subscribeAs(
          world,
          ["job"],
          { job: "1" },
          { user: "anna", conversationId: made.subscription.conversationId, eventDigest: requires(["job"]).digest },
        ).catch(() => undefined),
      );
      await Promise.resolve();
    }
    await publishing;
    const emitted = (await Promise.all(renewals)).flatMap((one) => (one !== undefined && "matched" in one ? [one.id] : []));
    assert.deepEqual(await world.claim(made), emitted);
  });
}
