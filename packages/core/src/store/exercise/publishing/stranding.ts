import assert from "node:assert/strict";
import { canonicalJson, routeText } from "@wakeshift/protocol";
import type { EmitInput, EventRecord, Hash, PutEventsResult, SubscribeInput } from "../../../engine/store.ts";
import { shapeOf } from "../../../engine/event/event-shape.ts";
import { event, put } from "../apps.ts";
import type { Exercise, Subscribed, World } from "../world.ts";
import { hashOf, HOUR } from "../world.ts";

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
  const shape = shapeOf(requires(names, personal === true ? { access: ["personal"] } : {}));
  return world.subscribed({ event: NAME, shape, ...routed(names, args, personal === true ? over.user : undefined), ...rest });
}

async function emitAs(world: World, id: string, names: readonly string[], args: Arguments, user?: string): Promise<number> {
  const { route, arguments: text } = routed(names, args, user);
  return (await world.emit(id, { event: NAME, arguments: text, routes: [route] } satisfies Partial<EmitInput>)).matched;
}

const strandedAt = async (publishing: Promise<PutEventsResult>): Promise<PutEventsResult["stranded"]> => (await publishing).stranded;

export function exerciseStranding(exercise: Exercise): void {
  exercise("an event that requires other arguments strands its subscriptions and ends none; each publish says how many", async (world) => {
    await put(world, [requires(["job"]), event("a.two")]);
    const bare = await subscribeAs(world, ["job"], { job: "1" });
    const narrowed = await subscribeAs(world, ["job"], { job: "1", site: "s" });
    const expired = await subscribeAs(world, ["job"], { job: "2" }, { expiresAt: world.clock.now() + HOUR });
    await world.subscribed({ event: "a.two", shape: shapeOf(event("a.two")) });
    await emitAs(world, "before", ["job"], { job: "1" });
    world.clock.advance(HOUR);
    const told = world.record();
    const publish = (): Promise<PutEventsResult> => put(world, [requires(["job", "site"]), event("a.two")]);
    assert.deepEqual(await publish(), { changed: [NAME], closed: [], stranded: [{ name: NAME, live: 2 }] });
    assert.deepEqual(told.reshaped, [`${NAME} {"personal":false,"required":["job","site"]}`]);
    await world.reopen();
    assert.deepEqual(await publish(), { changed: [], closed: [], stranded: [{ name: NAME, live: 2 }] });
    assert.deepEqual(told.ended, [`${expired.subscription.id} expired`]);
    assert.equal(await emitAs(world, "meanwhile", ["job", "site"], { job: "1", site: "s" }), 0);
    for (const one of [bare, narrowed]) {
      const resolved = await world.resolve(one.ticket);
      assert.ok(resolved.kind === "live" && resolved.subscription.stranded);
      assert.deepEqual(await world.claim(one), one === bare ? ["before"] : []);
    }
    assert.deepEqual(await world.store.listAccessChanges("app_a", 10), []);
  });

  exercise(
    "two versions that publish in turns hurt nobody: each one's subscriptions are matched while its shape is there",
    async (world) => {
      const shapes = [requires(["job"]), requires(["job", "site"]), requires(["job"], { access: ["personal"] })];
      const names = [["job"], ["job", "site"], ["job"]] as const;
      const args = { job: "1", site: "s" };
      const users = [undefined, undefined, "anna"];
      const subscribed: Subscribed[] = [];
      for (const [n, shape] of shapes.entries()) {
        await put(world, [shape]);
        const user = users[n];
        subscribed.push(await subscribeAs(world, names[n] ?? [], args, user === undefined ? {} : { user, personal: true }));
      }
      for (let turn = 0; turn < 9; turn += 1) {
        const n = turn % 3;
        const result = await put(world, [shapes[n] ?? event(NAME)]);
        assert.deepEqual(result.stranded, [{ name: NAME, live: 2 }]);
        assert.equal(await emitAs(world, `e${turn}`, names[n] ?? [], args, users[n]), 1);
      }
      await world.reopen();
      for (const [n, one] of subscribed.entries()) {
        const ids = [`e${n}`, `e${n + 3}`, `e${n + 6}`];
        assert.deepEqual(await world.claim(one), ids);
        for (const id of ids) assert.equal(await world.ack(one, id), "ok");
      }
    },
  );

  exercise("the order of what is required, its repetition, and other values strand nobody", async (world) => {
    await put(world, [requires(["job", "site"])]);
    await subscribeAs(world, ["job", "site"], { job: "1", site: "s" });
    const told = world.record();
    assert.deepEqual(await strandedAt(put(world, [requires(["site", "job", "site"])])), []);
    const properties = { job: { enum: ["2"] }, site: {} };
    const narrower = { type: "object", properties, required: ["job", "site"] };
    assert.deepEqual(await strandedAt(put(world, [event(NAME, { argumentsSchema: narrower, digest: hashOf("narrower") })])), []);
    assert.deepEqual(told.reshaped, []);
  });

  exercise(
    "who subscribes to the same again has a second subscription, which the event's emits match, and ends both by its arguments",
    async (world) => {
      await put(world, [requires(["job", "site"])]);
      const args = { job: "1", site: "s" };
      const made = await subscribeAs(world, ["job", "site"], args);
      const { conversationId } = made.subscription;
      await put(world, [requires(["job"])]);
      const again = await subscribeAs(world, ["job"], args, { conversationId });
      assert.notEqual(again.subscription.id, made.subscription.id);
      assert.equal((await subscribeAs(world, ["job"], args, { conversationId })).subscription.id, again.subscription.id);
      assert.equal(await emitAs(world, "one", ["job"], args), 1);
      assert.deepEqual([await world.claim(made), await world.claim(again)], [[], ["one"]]);
      const ending = { appId: "app_a", conversationId, event: NAME, arguments: canonicalJson(args) };
      assert.equal(await world.store.endSubscriptions(ending, "unsubscribed", world.clock.now()), 2);
      assert.deepEqual(await strandedAt(put(world, [requires(["job"], { description: "other", digest: hashOf("other") })])), []);
    },
  );

  exercise("an event that becomes personal ends nobody, and strands those who wait for its shared occurrences", async (world) => {
    await put(world, [requires(["job"], { access: ["public"] })]);
    const nobody = await subscribeAs(world, ["job"], { job: "1" });
    const anna = await subscribeAs(world, ["job"], { job: "1" }, { user: "anna" });
    const personal = requires(["job"], { access: ["personal"] });
    assert.deepEqual(await strandedAt(put(world, [personal])), [{ name: NAME, live: 2 }]);
    assert.equal(await emitAs(world, "hers", ["job"], { job: "1" }, "anna"), 0);
    await put(world, [requires(["job"], { access: ["public"] })]);
    assert.equal(await emitAs(world, "for all", ["job"], { job: "1" }), 2);
    for (const one of [nobody, anna]) assert.deepEqual(await world.claim(one), ["for all"]);
  });
}
