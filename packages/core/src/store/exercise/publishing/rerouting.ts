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
