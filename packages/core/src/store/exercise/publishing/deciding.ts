import assert from "node:assert/strict";
import type { EventRecord } from "../../../engine/store.ts";
import { event, put } from "../apps.ts";
import type { Exercise } from "../world.ts";
import { hashOf } from "../world.ts";

const NAME = "a.one";
const [SHARED, PERSONAL] = [event(NAME, { access: ["public"] }), event(NAME, { access: ["personal"] })];

/** A write decided from the event as it was. */
const decidedFrom = ({ digest }: EventRecord): { readonly event: string; readonly eventDigest: string } => ({
  event: NAME,
  eventDigest: digest,
});

export function exerciseDeciding(exercise: Exercise): void {
  exercise("a write decided from an event that is another by now is to be decided again, and leaves nothing behind", async (world) => {
    await put(world, [SHARED]);
    const first = world.subscribeInput(decidedFrom(SHARED));
    assert.equal((await world.store.subscribe(first)).kind, "created");
    assert.equal((await world.emit("before", decidedFrom(SHARED))).matched, 1);
    await put(world, [PERSONAL]);
    for (let turn = 0; turn < 2; turn += 1) {
      assert.equal(await world.store.emit(world.emitInput("late", decidedFrom(SHARED))), undefined);
      const late = world.subscribeInput(decidedFrom(SHARED));
      assert.deepEqual(await world.store.subscribe(late), { kind: "event_changed" });
      assert.equal((await world.resolve(late.ticketHash)).kind, "unknown");
      await world.reopen();
    }
    assert.equal((await world.emit("late", { ...decidedFrom(PERSONAL), routes: [hashOf("hers")] })).duplicate, false);
    assert.equal((await world.subscribe(decidedFrom(PERSONAL))).kind, "created");
  });

  exercise("what an event's return makes right again is written; what was never published isn't", async (world) => {
    await put(world, [SHARED]);
    await put(world, [PERSONAL]);
    await put(world, [SHARED]);
    assert.equal((await world.emit("right", decidedFrom(SHARED))).duplicate, false);
    assert.equal(await world.store.emit(world.emitInput("other", { ...decidedFrom(SHARED), event: "a.none" })), undefined);
    assert.equal(await world.store.emit(world.emitInput("other", { ...decidedFrom(SHARED), appId: "app_none" })), undefined);
  });

  exercise("of what is decided in the very turn of a publish, each is written before it or decided again", async (world) => {
    await put(world, [SHARED]);
    const anna = await world.subscribed({ ...decidedFrom(SHARED), user: "anna" });
    const publishing = put(world, [PERSONAL]);
    const emits = [];
    for (let n = 0; n < 20; n += 1) {
      emits.push(world.store.emit(world.emitInput(`e${n}`, decidedFrom(SHARED))));
      await Promise.resolve();
    }
    await publishing;
    const ids = (await Promise.all(emits)).flatMap((result) => (result === undefined ? [] : [result.id]));
    assert.ok(ids.length > 0 && ids.length < 20, `${ids.length} of 20 came before the publish`);
    assert.deepEqual(await world.claim(anna), ids);
  });

  exercise("a publish that was undone leaves what was decided before it good", async (world) => {
    await put(world, [SHARED]);
    assert.equal((await world.emit("e1", decidedFrom(SHARED))).matched, 0);
    await assert.rejects(put(world, [PERSONAL, event("a.two", { appId: "app_none" })]));
    assert.equal((await world.emit("e2", decidedFrom(SHARED))).duplicate, false);
    assert.equal(await world.store.emit(world.emitInput("e3", decidedFrom(PERSONAL))), undefined);
  });
}
