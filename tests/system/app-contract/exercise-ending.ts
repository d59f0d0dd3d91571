import assert from "node:assert/strict";
import { BUILD, CRAWL, DAY, HOUR, TURN } from "./contract-app.ts";
import type { Exercise } from "./contract-app.ts";

const ROLLBACK = "/event-subscriptions/rollback";
const UNSUBSCRIBE = "/event-subscriptions/unsubscribe";
const END = "/event-subscriptions/end";
const FORGET = "/users/forget";
const END_MATCHING = "/event-subscriptions/end-matching";

export function exerciseEnding(exercise: Exercise): void {
  exerciseRollback(exercise);

  exercise("a conversation ends and lists its own by its session key", async (app) => {
    await app.publish(CRAWL, BUILD);
    const a = await app.subscribe();
    const call = { client: "codex-mcp-client", session: a.session };
    const b = await app.subscribe({ arguments: { job: "b" } }, { session: a.session });
    const build = await app.subscribe({ name: BUILD.name, arguments: { repo: "r" }, once: true }, { session: a.session });
    const other = await app.subscribe();
    const listed = await app.listed({ call });
    assert.deepEqual(listed.map((each) => each.id).sort(), [a.id, b.id, build.id].sort());
    const shown = listed.find((each) => each.id === build.id);
    assert.deepEqual([shown.event, shown.arguments, shown.once, shown.destination], [BUILD.name, { repo: "r" }, true, "bridge"]);
    assert.equal(shown.expires_at, build.body.event_subscription.expires_at);
    assert.equal(new Date(shown.created_at).toISOString(), shown.created_at);
    assert.equal(await app.ended(UNSUBSCRIBE, { call, name: CRAWL.name, arguments: { job: "b" } }), 1);
    assert.equal(await app.ended(UNSUBSCRIBE, { call, id: other.id }), 0);
    assert.equal(await app.ended(UNSUBSCRIBE, { call, id: a.id }), 1);
    assert.equal(await app.ended(UNSUBSCRIBE, { call, id: a.id }), 0);
    assert.deepEqual(
      (await app.listed({ call })).map((each) => each.id),
      [build.id],
    );
    await app.subscribe({}, { session: a.session });
    await app.subscribe({ arguments: { job: "b" } }, { session: a.session });
    assert.equal(await app.ended(UNSUBSCRIBE, { call, name: CRAWL.name }), 2);
    const { id } = await app.emit();
    assert.deepEqual(await app.wokenEach(a, other), [[], [id]]);
  });

  exercise("a session key of nobody, or of another caller, ends and lists nothing", async (app) => {
    await app.publish(CRAWL);
    const ada = await app.subscribe({}, { user: "ada" });
    for (const call of [
      { client: "codex-mcp-client" },
      { client: "codex-mcp-client", session: `wsk_${"x".repeat(32)}`, user: "ada" },
      { client: "codex-mcp-client", session: ada.session },
      { client: "codex-mcp-client", session: ada.session, user: "bob" },
      { client: "other", session: ada.session, user: "ada" },
    ]) {
      await app.refused(UNSUBSCRIBE, { call, name: CRAWL.name }, "unknown_session", 403);
      await app.refused("/event-subscriptions/list", { call }, "unknown_session", 403);
    }
    const call = { client: "codex-mcp-client", session: ada.session, user: "ada" };
    await app.refused(UNSUBSCRIBE, { call }, "bad_request", 400);
    assert.equal(await app.ended(UNSUBSCRIBE, { call, name: CRAWL.name }), 1);
  });

  exercise("an anonymous conversation's session key works for no signed-in user, nor a user's for nobody (PC-44)", async (app) => {
    await app.publish(CRAWL);
    const nobody = await app.subscribe();
    const ada = await app.subscribe({}, { user: "ada" });
    for (const { session, user } of [
      { session: nobody.session, user: { user: "ada" } },
      { session: ada.session, user: {} },
    ]) {
      const call = { client: "codex-mcp-client", session, ...user };
      await app.refused("/event-subscriptions/list", { call }, "unknown_session", 403);
      await app.refused(UNSUBSCRIBE, { call, name: CRAWL.name }, "unknown_session", 403);
      const made = await app.subscribe({}, { session, ...user });
      assert.ok(made.created && made.session !== session);
    }
  });

  exercise("a session key is bound to the recognized program if the client doesn't say its name, whatever the model says", async (app) => {
    await app.publish(CRAWL);
    const codex = { client: "", user_agent: "codex-mcp-client/0.160.0" };
    const made = await app.subscribe({}, { ...codex, harness: "codex" });
    const own = { ...codex, session: made.session };
    for (const other of [
      { client: "", user_agent: "claude-code/2.1.0 (external, cli)" },
      { client: "", meta: { "claudecode/toolUseId": "toolu_1" } },
      { client: "" },
    ]) {
      const call = { ...other, session: made.session, harness: "codex" };
      await app.refused("/event-subscriptions/list", { call }, "unknown_session", 403);
      await app.refused(UNSUBSCRIBE, { call, name: CRAWL.name }, "unknown_session", 403);
      const renewed = await app.subscribe({}, call);
      assert.ok(renewed.created && renewed.session !== made.session);
    }
    assert.equal((await app.subscribe({}, own)).id, made.id);
    assert.equal((await app.listed({ call: own })).length, 1);
    assert.equal(await app.ended(UNSUBSCRIBE, { call: { ...own, harness: "claude-code" }, name: CRAWL.name }), 1);
  });

  exercise("a call without a session key is not told about one", async (app) => {
    await app.publish(CRAWL);
    const call = { client: "codex-mcp-client" };
    const messageTo = async (session: object): Promise<string> =>
      (await app.refused(UNSUBSCRIBE, { call: { ...call, ...session }, name: CRAWL.name }, "unknown_session", 403)).error.message;
    assert.match(await messageTo({}), /^This call passed no session key/);
    assert.match(await messageTo({ session: "wsk_1" }), /^No conversation of this caller has this session key/);
  });

  exercise("the app ends one by its id, and a user's only as that user's", async (app) => {
    await app.publish(CRAWL);
    const one = await app.subscribe();
    const ada = await app.subscribe({}, { user: "ada" });
    assert.equal(await app.ended(END, { id: one.id }), 1);
    assert.equal(await app.ended(END, { id: one.id }), 0);
    assert.equal(await app.ended(END, { id: ada.id, user: "bob" }), 0);
    assert.equal(await app.ended(END, { id: ada.id, user: "ada" }), 1);
    assert.equal(await app.ended(END, { id: "sub_none" }), 0);
  });

  exercise(
    "the app ends all that match: by event, user, arguments they have among theirs, or together; all at once is refused",
    async (app) => {
      await app.publish(CRAWL, BUILD, TURN);
      await app.subscribe({}, { user: "ada" });
      await app.subscribe({ arguments: { job: "b" } }, { user: "ada" });
      const bob = await app.subscribe({}, { user: "bob" });
      await app.subscribe({ name: BUILD.name, arguments: { repo: "r", branch: "main" } }, { user: "ada" });
      assert.equal(await app.ended(END_MATCHING, { event: CRAWL.name, user: "ada", arguments: { job: "b" } }), 1);
      assert.equal(await app.ended(END_MATCHING, { event: BUILD.name, arguments: { repo: "r", branch: "dev" } }), 0);
      assert.equal(await app.ended(END_MATCHING, { event: BUILD.name, arguments: { repo: "r", branch: "main", more: 1 } }), 0);
      assert.equal(await app.ended(END_MATCHING, { arguments: { repo: "r" } }), 1);
      assert.equal(await app.ended(END_MATCHING, { user: "ada" }), 1);
      assert.deepEqual(
        (await app.listed({ user: "bob" })).map((each) => each.id),
        [bob.id],
      );
      assert.equal(await app.ended(END_MATCHING, { event: CRAWL.name }), 1);
      for (const nothing of [{}, { arguments: {} }]) await app.refused(END_MATCHING, nothing, "bad_request", 400);
      await app.refused("/event-subscriptions/list", {}, "bad_request", 400);
      assert.equal((await app.emit()).matched, 0);
    },
  );

  exercise("a signed-in user without a session key lists and ends what is theirs in that app; nobody else can", async (app) => {
    await app.publish(CRAWL, BUILD);
    const first = await app.subscribe({}, { user: "ada" });
    const second = await app.subscribe({ arguments: { job: "b" } }, { user: "ada", client: "other-program" });
    const bob = await app.subscribe({}, { user: "bob" });
    const nobody = await app.subscribe();
    const as = (user?: string, more: object = {}) => ({
      call: { client: "third-program", ...(user === undefined ? {} : { user }), ...more },
    });
    const idsOf = async (call: object): Promise<string[]> => (await app.listed(call)).map((each) => each.id).toSorted();
    assert.deepEqual(await idsOf(as("ada")), [first.id, second.id].toSorted());
    assert.deepEqual(await idsOf(as("bob")), [bob.id]);
    assert.deepEqual(await idsOf(as("carl")), []);
    // A session key that is someone else's, or none, stays refused, also for a signed-in user.
    for (const call of [as(), as(" "), as("ada", { session: bob.session }), as("ada", { session: "x" })]) {
      await app.refused("/event-subscriptions/list", call, "unknown_session", 403);
      await app.refused(UNSUBSCRIBE, { ...call, name: CRAWL.name }, "unknown_session", 403);
    }
    for (const id of [bob.id, nobody.id]) assert.equal(await app.ended(UNSUBSCRIBE, { ...as("ada"), id }), 0);
    assert.equal(await app.ended(UNSUBSCRIBE, { ...as("ada"), name: CRAWL.name, arguments: { job: "b" } }), 1);
    assert.equal(await app.ended(UNSUBSCRIBE, { ...as("ada"), id: first.id }), 1);
    assert.deepEqual(await idsOf(as("ada")), []);
    assert.deepEqual(await idsOf(as("bob")), [bob.id]);
  });

  exercise("forgets a user: what they subscribed, their session keys, and what went to them alone", async (app) => {
    await app.publish(TURN);
    const request = { name: TURN.name, arguments: { table: "t" } };
    const [ada, bob] = [await app.subscribe(request, { user: "ada" }), await app.subscribe(request, { user: "bob" })];
    await app.emit({ ...request, to: "ada", id: "hers" });
    const both = await app.emit({ ...request, to: ["ada", "bob"] });
    assert.deepEqual(await app.good(FORGET, { user: "ada" }), { forgotten: true });
    assert.deepEqual(await app.good(FORGET, { user: "ada" }), { forgotten: false });
    for (const user of ["", " ", 5, null]) await app.refused(FORGET, { user }, "bad_request", 400);
    const call = { client: "codex-mcp-client", session: ada.session, user: "ada" };
    await app.refused("/event-subscriptions/list", { call }, "unknown_session", 403);
    const again = await app.subscribe({ ...request, replay_ms: DAY }, { user: "ada" });
    assert.equal((await app.emit({ ...request, to: "ada", id: "hers" })).duplicate, false);
    assert.deepEqual(await app.wokenEach(ada, bob, again), [[], [both.id], ["hers"]]);
  });

  exercise("what has ended gets nothing more, also of what was emitted before", async (app) => {
    await app.publish(CRAWL);
    const made = await app.subscribe();
    await app.emit();
    await app.ended(END, { id: made.id });
    assert.deepEqual(await app.wakes(), []);
  });
}

function exerciseRollback(exercise: Exercise): void {
  exercise("what has expired isn't ended by a failed call, nor brought back", async (app) => {
    await app.publish(CRAWL);
    await app.subscribe({ ttl_ms: HOUR }, { call_id: "call-1" });
    const made = await app.subscribe({ ttl_ms: 3 * HOUR }, { call_id: "call-2" });
    await app.subscribe({ ttl_ms: HOUR }, { call_id: "call-3", session: made.session });
    app.core.advance(2 * HOUR);
    for (const call of ["call-1", "call-3"]) assert.equal(await app.ended(ROLLBACK, { call_id: call }), 0);
    assert.equal((await app.emit()).matched, 0);
  });

  exercise("a rolled back call ends what it made and leaves what it renewed, on its former terms", async (app) => {
    await app.publish(CRAWL);
    const kept = await app.subscribe({ ttl_ms: DAY }, { call_id: "c1" });
    await app.subscribe({ once: true, ttl_ms: HOUR }, { call_id: "c2", session: kept.session });
    const made = await app.subscribe({ arguments: { job: "b" } }, { call_id: "c2", session: kept.session });
    await app.emit({ arguments: { job: "b" } });
    assert.equal(await app.ended(ROLLBACK, { call_id: "c2" }), 1);
    assert.equal(await app.ended(ROLLBACK, { call_id: "c2" }), 0);
    const [left, ...others] = await app.listed({ call: { client: "codex-mcp-client", session: kept.session } });
    assert.deepEqual([left.id, left.once, left.expires_at, others], [kept.id, false, kept.body.event_subscription.expires_at, []]);
    assert.deepEqual(await app.woken(made), []);
  });

  exercise("a subscribe that comes after its call was rolled back is refused", async (app) => {
    await app.publish(CRAWL);
    assert.equal(await app.ended(ROLLBACK, { call_id: "late" }), 0);
    await app.refused("/event-subscriptions", app.request({}, { call_id: "late" }), "no_call", 400);
    assert.equal((await app.emit()).matched, 0);
  });

  exercise("what a failed call made and a later one renewed passes to that one", async (app) => {
    await app.publish(CRAWL);
    const { session } = await app.subscribe({}, { call_id: "c1" });
    await app.subscribe({}, { call_id: "c2", session });
    assert.equal(await app.ended(ROLLBACK, { call_id: "c1" }), 0);
    assert.equal((await app.emit()).matched, 1);
    assert.equal(await app.ended(ROLLBACK, { call_id: "c2" }), 1);
    const second = await app.subscribe({ arguments: { job: "b" } }, { call_id: "c3", session });
    await app.subscribe({ arguments: { job: "b" } }, { session: second.session });
    assert.equal(await app.ended(ROLLBACK, { call_id: "c3" }), 0);
    assert.equal((await app.emit({ arguments: { job: "b" } })).matched, 1);
  });
}
