import assert from "node:assert/strict";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { BUILD, CRAWL, DAY, HOUR, MINUTE, TURN } from "./contract-app.ts";
import type { Exercise } from "./contract-app.ts";

export function exerciseSubscribing(exercise: Exercise): void {
  exerciseTerms(exercise);

  exercise("answers with a session key, a ticket and what the result is to say", async (app) => {
    await app.publish(CRAWL);
    const { id, session, body } = await app.subscribe({ once: true });
    assert.match(id, /^sub_[0-9a-f]{32}$/);
    assert.match(session, /^wsk_[A-Za-z0-9]{32}$/);
    assert.deepEqual([body.state, body.event_subscription.created, body.event_subscription.once], ["subscribed", true, true]);
    assert.deepEqual(body.agent, { harness: "codex", via: "initialize" });
    const { text, structured, meta } = body.addition;
    assert.ok(text.includes(`${session}. It is a secret: `) && text.length <= 900);
    assert.deepEqual([structured.id, structured.session_key, structured.event], [id, session, CRAWL.name]);
    const [entry] = meta[SUBSCRIPTION_META_KEY];
    assert.match(entry.ticket, /^wkt_[A-Za-z0-9]{32}$/);
    assert.ok(!JSON.stringify([text, structured]).includes(entry.ticket));
    assert.deepEqual([entry.id, entry.event, entry.arguments, entry.once, entry.tool], [id, CRAWL.name, { job: "a" }, true, "start_crawl"]);
  });

  exercise("the result promises an occurrence only to a conversation whose program can be woken", async (app) => {
    await app.publish(CRAWL);
    const saidTo = async (call: object): Promise<readonly [string, string]> => {
      const { text, structured } = (await app.subscribe({}, call)).body.addition;
      return [text, structured.howto];
    };
    for (const client of ["codex-mcp-client", "claude-code", "opencode"]) {
      const [text, howto] = await saidTo({ client });
      assert.match(text, /Each occurrence arrives here as a message that begins with \[Wakeshift\]/);
      assert.match(howto, /finish your turn/);
    }
    for (const [call, sentence] of [
      [{ client: "cursor-vscode" }, /can't start a turn in cursor/],
      [{ client: "", user_agent: "gemini-cli/1.0" }, /can't start a turn in gemini-cli/],
      [{ client: "Acme Agent" }, /doesn't know this program/],
      [{ client: "" }, /doesn't know this program/],
    ] as const) {
      for (const said of await saidTo(call)) {
        assert.match(said, sentence);
        assert.match(said, /wait_for_events if this server has that tool/);
        assert.doesNotMatch(said, /Each occurrence arrives|finish your turn/);
      }
    }
  });

  exercise("the same conversation, event and arguments are renewed; without the session key it is another", async (app) => {
    await app.publish(CRAWL);
    const first = await app.subscribe();
    const renewed = await app.subscribe({}, { session: first.session });
    assert.deepEqual([renewed.id, renewed.created, renewed.session], [first.id, false, first.session]);
    const further = await app.subscribe({ arguments: { job: "b" } }, { session: first.session });
    assert.notEqual(further.id, first.id);
    assert.equal(further.session, first.session);
    const stranger = await app.subscribe();
    assert.notEqual(stranger.id, first.id);
    assert.notEqual(stranger.session, first.session);
  });

  exercise("another's session key is never adopted: another user's, another client's, an unknown one", async (app) => {
    await app.publish(CRAWL);
    const ada = await app.subscribe({}, { user: "ada" });
    for (const call of [
      { session: ada.session },
      { session: ada.session, user: "bob" },
      { session: ada.session, user: "ada", client: "claude-code" },
      { session: `wsk_${"x".repeat(32)}` },
      { session: "anything" },
    ]) {
      const other = await app.subscribe({}, call);
      assert.ok(other.session !== ada.session && other.session !== call.session);
      assert.equal(other.created, true);
    }
  });

  exercise("the arguments must match the schema, and stay small", async (app) => {
    await app.publish(CRAWL);
    for (const args of [{}, { job: 1 }, { job: "x".repeat(5_000) }, { job: "\0" }])
      await app.refused("/event-subscriptions", app.request({ arguments: args }), "bad_arguments", 400);
    await app.refused("/event-subscriptions", app.request({ name: "no.such" }), "unknown_event", 404);
  });

  exercise("a personal event needs a user, and reaches only the users an emit names", async (app) => {
    await app.publish(TURN);
    const turn = { name: TURN.name, arguments: { table: "t" } };
    for (const user of [{}, { user: "" }, { user: "  " }])
      await app.refused("/event-subscriptions", app.request(turn, user), "user_required", 403);
    const ada = await app.subscribe(turn, { user: "ada" });
    const bob = await app.subscribe(turn, { user: "bob" });
    const one = await app.emit({ ...turn, to: "ada" });
    const both = await app.emit({ ...turn, to: ["ada", "bob", "ada", "eve"] });
    const nobody = await app.emit({ ...turn, to: "eve" });
    assert.deepEqual([one.matched, both.matched, nobody.matched], [1, 2, 0]);
    assert.deepEqual(await app.wokenEach(ada, bob), [[one.id, both.id], [both.id]]);
  });

  exercise("a conversation has at most 100 subscriptions, and renewing is never refused", async (app) => {
    await app.publish(CRAWL);
    const { session } = await app.subscribe({ arguments: { job: "0" } });
    for (let job = 1; job < 100; job += 1) await app.subscribe({ arguments: { job: String(job) } }, { session });
    await app.refused("/event-subscriptions", app.request({ arguments: { job: "100" } }, { session }), "subscription_limit", 429);
    await app.subscribe({ arguments: { job: "0" } }, { session });
  });

  exercise("a user has at most 1,000 subscriptions, however many conversations, and another user is not held up", async (app) => {
    await app.publish(CRAWL);
    for (let conversation = 0; conversation < 10; conversation += 1) {
      const { session } = await app.subscribe({ arguments: { job: "0" } }, { user: "ada" });
      const others = Array.from({ length: 99 }, (_, job) => ({ arguments: { job: String(job + 1) } }));
      await Promise.all(others.map((one) => app.subscribe(one, { session, user: "ada" })));
    }
    await app.refused("/event-subscriptions", app.request({}, { user: "ada" }), "subscription_limit", 429);
    await app.subscribe({}, { user: "bob" });
    await app.subscribe({});
  });
}

function exerciseTerms(exercise: Exercise): void {
  exercise("once ends with its first delivery", async (app) => {
    await app.publish(CRAWL);
    const once = await app.subscribe({ once: true });
    const always = await app.subscribe();
    const first = await app.emit();
    assert.deepEqual(await app.woken(once), [first.id]);
    const second = await app.emit();
    assert.equal(second.matched, 1);
    assert.deepEqual(await app.wokenEach(once, always), [[first.id], [first.id, second.id]]);
  });

  exercise("a once that is renewed waits for what comes after", async (app) => {
    await app.publish(CRAWL);
    const made = await app.subscribe({ once: true });
    const before = await app.emit();
    await app.subscribe({ once: true }, { session: made.session });
    assert.deepEqual(await app.woken(made), [before.id]);
    const after = await app.emit();
    assert.deepEqual(await app.woken(made), [before.id, after.id]);
    assert.equal((await app.emit()).matched, 0);
  });

  exercise("what was emitted before reaches nobody, but for the newest within replay", async (app) => {
    await app.publish(CRAWL);
    await app.emit();
    const newest = await app.emit();
    const plain = await app.subscribe();
    const replayed = await app.subscribe({ replay_ms: HOUR });
    const once = await app.subscribe({ replay_ms: HOUR, once: true });
    const other = await app.subscribe({ replay_ms: HOUR, arguments: { job: "b" } });
    assert.deepEqual(await app.wokenEach(plain, replayed, once, other), [[], [newest.id], [newest.id], []]);
    app.core.advance(2 * HOUR);
    const late = await app.subscribe({ replay_ms: HOUR });
    assert.deepEqual(await app.woken(late), []);
    // The once has ended with what it replayed.
    const next = await app.emit();
    assert.equal(next.matched, 4 - 1);
    assert.deepEqual(await app.woken(once), [newest.id]);
  });

  exercise("a renewal replays nothing", async (app) => {
    await app.publish(CRAWL);
    await app.emit();
    const made = await app.subscribe();
    await app.subscribe({ replay_ms: HOUR }, { session: made.session });
    assert.deepEqual(await app.woken(made), []);
  });

  exercise("replay reaches back at most 24 hours, and ttl lies between a minute and 30 days", async (app) => {
    await app.publish(CRAWL);
    await app.subscribe({ replay_ms: DAY, ttl_ms: 30 * DAY });
    await app.refused("/event-subscriptions", app.request({ replay_ms: DAY + 1 }), "replay_too_long", 400);
    for (const terms of [{ replay_ms: -1 }, { ttl_ms: MINUTE - 1 }, { ttl_ms: 30 * DAY + 1 }])
      await app.refused("/event-subscriptions", app.request(terms), "bad_request", 400);
  });

  exercise("a subscription ends when its time is over, 7 days unless it says otherwise, and a renewal gives it more", async (app) => {
    await app.publish(CRAWL);
    const short = await app.subscribe({ ttl_ms: MINUTE });
    const renewed = await app.subscribe({ ttl_ms: MINUTE });
    const week = await app.subscribe();
    const left = Date.parse(week.body.event_subscription.expires_at) - Date.parse(short.body.event_subscription.expires_at);
    assert.ok(Math.abs(left - (7 * DAY - MINUTE)) < MINUTE / 2);
    await app.subscribe({ ttl_ms: HOUR }, { session: renewed.session });
    app.core.advance(2 * MINUTE);
    const emitted = await app.emit();
    assert.equal(emitted.matched, 2);
    assert.deepEqual(await app.wokenEach(short, renewed, week), [[], [emitted.id], [emitted.id]]);
    app.core.advance(7 * DAY);
    assert.equal((await app.emit()).matched, 0);
  });

  exercise("an optional argument filters: on the emit's argument of that name, else on the payload's field", async (app) => {
    await app.publish(BUILD);
    const build = { name: BUILD.name, arguments: { repo: "r" } };
    const any = await app.subscribe(build);
    const main = await app.subscribe({ ...build, arguments: { repo: "r", branch: "main" } });
    const byPayload = await app.emit({ ...build, payload: { branch: "main" } });
    const byArgument = await app.emit({ ...build, arguments: { repo: "r", branch: "main" }, payload: { branch: "x" } });
    const other = await app.emit({ ...build, payload: { branch: "x" } });
    const none = await app.emit({ ...build, payload: {} });
    assert.deepEqual([byPayload.matched, other.matched], [2, 2]);
    assert.deepEqual(await app.woken(any), [byPayload.id, byArgument.id, other.id, none.id]);
    assert.deepEqual(await app.woken(main), [byPayload.id, byArgument.id]);
  });
}
