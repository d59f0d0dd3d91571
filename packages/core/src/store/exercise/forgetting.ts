import assert from "node:assert/strict";
import { routeText } from "@wakeshift/protocol";
import type { Hash } from "../store.ts";
import { event, put } from "./apps.ts";
import type { Exercise } from "./world.ts";
import { hashOf } from "./world.ts";

const routeOf = (name: string, user: string, app = "app_a"): Hash => hashOf(routeText({ app, event: name, required: { job: "1" }, user }));

export function exerciseForgetting(exercise: Exercise): void {
  exercise("forgets one user of one app: subscriptions live and ended, their keys, and what went to that user alone", async (world) => {
    await world.store.createApp({ id: "app_b", name: "Other", createdAt: 1 });
    await put(world, [event("a.one", { access: ["personal"] })]);
    const of = (user: string, appId = "app_a") => ({ event: "a.one", user, appId, route: routeOf("a.one", user, appId) });
    const sessions = ["anna", "anna too", "berta"].map(hashOf);
    const conversation = (n: number) => ({ newConversation: { id: `c${n}`, sessionHash: sessions[n] ?? "" } });
    const [anna, ended, berta] = [
      await world.subscribed({ ...of("anna"), ...conversation(0) }),
      await world.subscribed({ ...of("anna"), ...conversation(1) }),
      await world.subscribed({ ...of("berta"), ...conversation(2) }),
    ];
    const elsewhere = await world.subscribed(of("anna", "app_b"));
    const emit = (id: string, ...users: string[]) =>
      world.emit(id, { event: "a.one", routes: users.map((user) => routeOf("a.one", user)) });
    await emit("hers", "anna");
    await emit("both's", "anna", "berta");
    await emit("another's", "berta");
    await world.claim(anna);
    await world.store.endSubscriptions({ appId: "app_a", id: ended.subscription.id }, "ended", world.clock.now());
    const told = world.record();
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), true);
    assert.deepEqual(told.ended, [`${anna.subscription.id} ended`]);
    await world.reopen();
    for (const one of [anna, ended]) assert.equal((await world.resolve(one.ticket)).kind, "unknown");
    const found = await Promise.all(sessions.map((session) => world.store.findConversation("app_a", session)));
    assert.deepEqual(
      found.map((one) => one?.user),
      [undefined, undefined, "berta"],
    );
    assert.deepEqual(await world.claim(berta), ["both's", "another's"]);
    assert.equal((await world.resolve(elsewhere.ticket)).kind, "live");
    const again = await world.subscribed({ ...of("anna"), replaySince: 0 });
    assert.deepEqual(await world.claim(again), []);
    assert.deepEqual([(await emit("hers", "anna")).duplicate, (await emit("both's", "anna", "berta")).duplicate], [false, true]);
    assert.deepEqual(await world.claim(again), ["hers"]);
  });

  exercise("forgets what went to a user while the event required other arguments, or was personal then", async (world) => {
    const personal = (...required: string[]) =>
      put(world, [event("a.one", { access: ["personal"], argumentsSchema: { type: "object", required } })]);
    const emit = (id: string, required: object) =>
      world.emit(id, {
        event: "a.one",
        routes: [hashOf(routeText({ app: "app_a", event: "a.one", required: { ...required }, user: "anna" }))],
      });
    await personal("job");
    await emit("e1", { job: "1" });
    await personal();
    await emit("e2", {});
    await personal("site");
    await put(world, [event("a.one", { access: ["public"] })]);
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), true);
    assert.deepEqual([(await emit("e1", { job: "1" })).duplicate, (await emit("e2", {})).duplicate], [false, false]);
  });

  exercise("nobody is forgotten where there is nobody, and a shared event's occurrences stay", async (world) => {
    await put(world, [event("a.one", { access: ["public"] })]);
    const other = await world.subscribed({ event: "a.one", user: "berta" });
    await world.emit("e1", { event: "a.one" });
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), false);
    assert.equal(await world.store.forgetUser("app_none", "berta", world.clock.now()), false);
    assert.deepEqual(await world.claim(other), ["e1"]);
  });

  exercise("forgets more than one step of everything", async (world) => {
    await put(world, [event("a.one", { access: ["personal"] })]);
    const route = routeOf("a.one", "anna");
    await Promise.all(Array.from({ length: 700 }, () => world.subscribe({ event: "a.one", user: "anna", route })));
    await Promise.all(
      Array.from({ length: 1_200 }, (_, n) => world.emit(`e${n}`, { event: "a.one", routes: n % 2 === 0 ? [route] : [hashOf("x")] })),
    );
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), true);
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), false);
    assert.deepEqual(await world.store.listSubscriptions({ appId: "app_a" }, world.clock.now()), []);
    assert.deepEqual([(await world.emit("e0")).duplicate, (await world.emit("e1198")).duplicate], [false, false]);
    assert.equal((await world.emit("e1", { event: "a.one" })).duplicate, true);
  });
}
