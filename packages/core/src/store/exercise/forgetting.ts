import assert from "node:assert/strict";
import { routeText } from "@wakeshift/protocol";
import type { Hash } from "../../engine/store.ts";
import { event, put } from "./apps.ts";
import type { Exercise, Subscribed } from "./world.ts";
import { DAY, hashOf } from "./world.ts";

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

  exercise("forgets what expired and nobody has ended yet, also behind many others", async (world) => {
    const soon = { expiresAt: world.clock.now() + 60_000 };
    await Promise.all(Array.from({ length: 400 }, () => world.subscribe({ ...soon, expiresAt: soon.expiresAt - 1 })));
    const anna = await world.subscribed({ ...soon, user: "anna" });
    world.clock.advance(120_000);
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), true);
    assert.equal((await world.resolve(anna.ticket)).kind, "unknown");
    assert.equal(await world.store.forgetUser("app_a", "anna", world.clock.now()), false);
    await world.subscribed({ route: hashOf("route") });
    while (await world.store.prune(world.clock.now(), DAY));
    assert.equal(await world.matched(), 1);
  });
}

/** What a forgetting must leave alone, and what goes on beside it. */
export function exerciseForgettingBesideOthers(exercise: Exercise): void {
  exercise("whoever subscribes after a user was forgotten gets all that is theirs, whatever that user had been handed", async (world) => {
    await world.subscribed();
    const anna = await world.subscribed({ user: "anna" });
    await world.emit("e1");
    assert.equal(await world.ack(anna, "e1"), "ok");
    await world.store.forgetUser("app_a", "anna", world.clock.now());
    await world.reopen();
    const berta = await world.subscribed({ user: "berta", replaySince: 0 });
    assert.deepEqual(await world.claim(berta), ["e1"]);
  });

  exercise("what is emitted after a restart reaches who subscribed just before the newest occurrence was forgotten", async (world) => {
    await put(world, [event("a.one", { access: ["personal"] })]);
    const of = (user: string) => ({ event: "a.one", user, route: routeOf("a.one", user) });
    await world.emit("hers", { event: "a.one", routes: [of("anna").route] });
    const berta = await world.subscribed(of("berta"));
    await world.store.forgetUser("app_a", "anna", world.clock.now());
    await world.reopen();
    await world.emit("another's", { event: "a.one", routes: [of("berta").route] });
    assert.deepEqual(await world.claim(berta), ["another's"]);
  });

  exercise("who goes on in a conversation that is forgotten meanwhile makes it anew, once for all of their calls", async (world) => {
    const anna = await world.subscribed({ user: "anna" });
    const { conversationId } = anna.subscription;
    await world.store.forgetUser("app_a", "anna", world.clock.now());
    const calls = ["2", "3", "4"].map((job) =>
      world.subscribe({
        user: "anna",
        arguments: `{"job":"${job}"}`,
        conversationId,
        newConversation: { id: `anew-${job}`, sessionHash: hashOf("the same key") },
      }),
    );
    const made = (await Promise.all(calls)).flatMap((result) => ("subscription" in result ? [result.subscription.conversationId] : []));
    assert.deepEqual(made, ["anew-2", "anew-2", "anew-2"]);
    assert.equal((await world.store.findConversation("app_a", hashOf("the same key")))?.id, "anew-2");
  });

  exercise("two users forgotten at once leave nothing of what went to both of them", async (world) => {
    await put(world, [event("a.one", { access: ["personal"] })]);
    const routes = ["anna", "berta"].map((user) => routeOf("a.one", user));
    for (let n = 0; n < 20; n += 1) await world.emit(`e${n}`, { event: "a.one", routes });
    const forgetting = ["anna", "berta", "anna"].map((user) => world.store.forgetUser("app_a", user, world.clock.now()));
    assert.equal((await Promise.all(forgetting)).filter(Boolean).length >= 2, true);
    for (let n = 0; n < 20; n += 1) assert.equal((await world.emit(`e${n}`, { event: "a.one" })).duplicate, false);
  });

  exercise(
    "what is emitted while a user is forgotten isn't lost to whoever they subscribed with meanwhile, nor to others",
    async (world) => {
      await put(world, [event("a.one", { access: ["personal"] })]);
      const of = (user: string) => ({ event: "a.one", user, route: routeOf("a.one", user) });
      const berta = await world.subscribed(of("berta"));
      await Promise.all(Array.from({ length: 600 }, () => world.subscribe(of("anna"))));
      await Promise.all(Array.from({ length: 600 }, (_, n) => world.emit(`e${n}`, { event: "a.one", routes: [of("anna").route] })));
      const forgetting = world.store.forgetUser("app_a", "anna", world.clock.now());
      const again = await world.subscribed(of("anna"));
      let forgotten = false;
      void forgetting.finally(() => (forgotten = true));
      const emitted: string[] = [];
      for (let n = 0; !forgotten; n += 1) {
        const { id } = await world.emit(`meanwhile-${n}`, { event: "a.one", routes: [of("anna").route, of("berta").route] });
        emitted.push(id);
      }
      assert.equal(await forgetting, true);
      const taken = async (subscribed: Subscribed): Promise<readonly string[]> => world.claim(subscribed, "taker", 10_000);
      assert.deepEqual([await taken(again), await taken(berta)], [emitted, emitted]);
    },
  );
}
