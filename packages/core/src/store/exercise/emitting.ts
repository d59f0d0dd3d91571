import assert from "node:assert/strict";
import type { Exercise } from "./world.ts";
import { hashOf } from "./world.ts";

export function exerciseEmitting(exercise: Exercise): void {
  exerciseIds(exercise);

  exercise("an emit that was answered is there after a reopen, byte for byte", async (world) => {
    const subscribed = await world.subscribed();
    const texts = {
      text: "“quotes” 🎉 \\ \" ' -- ; $(x) \u202e\ttab\nline e\u0301 " + "x".repeat(4_000),
      payload: JSON.stringify({ t: "Ünï ☃ 🧪", n: [1.5, -0, null] }),
    };
    await world.emit("evt_1", texts);
    await world.reopen();
    const { wakes } = await world.store.claim(subscribed.subscription.id, "t", 1);
    assert.equal(wakes[0]?.text, texts.text);
    assert.equal(wakes[0]?.payload, texts.payload);
  });

  exercise("seqs grow, across reopens too", async (world) => {
    const first = await world.emit("a");
    const second = await world.emit("b");
    await world.reopen();
    const third = await world.emit("c");
    assert.ok(first.seq < second.seq && second.seq < third.seq);
  });

  exercise("an emit to an app that isn't there fails alone; its neighbours of the same instant are stored", async (world) => {
    const subscribed = await world.subscribed();
    const [good, bad, alsoGood] = await Promise.allSettled([world.emit("g1"), world.emit("b", { appId: "app_none" }), world.emit("g2")]);
    assert.deepEqual([good.status, bad.status, alsoGood.status], ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await world.claim(subscribed), ["g1", "g2"]);
  });

  exercise("matched counts live subscriptions over all routes of the emit, before filters", async (world) => {
    await world.subscribed({ route: hashOf("u1"), filter: '{"color":"red"}' });
    await world.subscribed({ route: hashOf("u1") });
    await world.subscribed({ route: hashOf("u2") });
    const emitted = await world.emit("e", { routes: [hashOf("u1"), hashOf("u2"), hashOf("u3")] });
    assert.equal(emitted.matched, 3);
  });

  exercise("an emit to many users reaches each of them once and nobody else", async (world) => {
    const routes = Array.from({ length: 1_000 }, (_, n) => hashOf(`user-${n}`));
    const named = await world.subscribed({ route: hashOf("user-999"), user: "u999" });
    const other = await world.subscribed({ route: hashOf("user-x"), user: "x" });
    await world.emit("e", { routes });
    assert.deepEqual(await world.claim(named), ["e"]);
    assert.deepEqual(await world.claim(other), []);
  });

  exercise("tells listeners the routes after the commit, so that a claim made then finds it", async (world) => {
    const subscribed = await world.subscribed();
    const claimed = new Promise<readonly string[]>((resolve) => {
      world.store.listen({ emitted: () => resolve(world.claim(subscribed)) });
    });
    await world.emit("e");
    assert.deepEqual(await claimed, ["e"]);
  });

  exercise("a listener that left is told nothing", async (world) => {
    await world.subscribed();
    let told = 0;
    const leave = world.store.listen({ emitted: () => (told += 1) });
    await world.emit("a");
    leave();
    await world.emit("b");
    assert.equal(told, 1);
  });
}

function exerciseIds(exercise: Exercise): void {
  exercise("the same id again stores nothing and answers what the first one answered", async (world) => {
    await world.subscribed();
    const first = await world.emit("order-1");
    await world.subscribed();
    const again = await world.emit("order-1", { payload: '{"other":1}' });
    assert.deepEqual(again, { ...first, duplicate: true });
    assert.equal(first.matched, 1);
  });

  exercise("an id used for another event or other arguments is refused, not taken for a duplicate", async (world) => {
    const first = await world.emit("42");
    const subscribed = await world.subscribed({ route: hashOf("other") });
    const routes = [hashOf("other")];
    for (const other of [{ event: "crawl.failed" }, { arguments: '{"job":"2"}' }, { event: "crawl.failed", arguments: "{}" }]) {
      await assert.rejects(world.emit("42", { ...other, routes }), {
        code: "bad_request",
        status: 409,
        message: /42 was used for another/,
      });
    }
    const together = [world.emit("43", { routes }), world.emit("43", { event: "crawl.failed", routes }), world.emit("44", { routes })];
    assert.deepEqual(
      (await Promise.allSettled(together)).map((one) => one.status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(await world.claim(subscribed), ["43", "44"]);
    assert.deepEqual(await world.emit("42", { payload: "{}", text: "Another text" }), { ...first, duplicate: true });
    await world.reopen();
    await assert.rejects(world.emit("42", { event: "crawl.failed" }), { code: "bad_request" });
  });

  exercise("of twenty emits with one id at the same instant, one is the first", async (world) => {
    const subscribed = await world.subscribed();
    const results = await Promise.all(Array.from({ length: 20 }, () => world.emit("one")));
    assert.equal(results.filter((result) => !result.duplicate).length, 1);
    assert.equal(new Set(results.map((result) => result.seq)).size, 1);
    assert.deepEqual(await world.claim(subscribed), ["one"]);
  });

  exercise("two apps may use the same id", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    await world.emit("order-1");
    const other = await world.emit("order-1", { appId: "app_b", routes: [hashOf("b")] });
    assert.equal(other.duplicate, false);
  });
}
