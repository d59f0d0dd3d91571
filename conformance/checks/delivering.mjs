import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const CRAWL = "crawl.finished";
const ids = (wakes) => wakes.map((wake) => wake.occurrence);

export async function nobodyBeforeSubscribing(world) {
  const agent = await world.client();
  const job = freshId();
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
  const result = await agent.call("start_crawl", { job });
  const { id, matched } = await agent.emit(CRAWL, { job });
  assert.equal(matched, 1);
  assert.deepEqual(ids(await agent.woken(result)), [id]);
}

export async function onceEndsWithItsFirst(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_crawl", { job, once: true });
  const { id } = await agent.emit(CRAWL, { job });
  assert.deepEqual(ids(await agent.woken(result)), [id]);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
}

export async function replayAddsTheNewest(world) {
  const agent = await world.client();
  const job = freshId();
  await agent.emit(CRAWL, { job });
  const { id } = await agent.emit(CRAWL, { job });
  const result = await agent.call("start_crawl", { job, replay: "10m" });
  assert.deepEqual(ids(await agent.woken(result)), [id]);
}

export async function replayAtMostADay(world) {
  const agent = await world.client();
  const job = freshId();
  assert.equal(entriesOf(await agent.call("start_crawl", { job, replay: "24h" })).length, 1);
  const result = await agent.call("start_crawl", { job: freshId(), replay: "25h" });
  assert.equal(result.isError, true);
  assert.deepEqual(entriesOf(result), []);
}

export async function replayWithOnceEndsAtOnce(world) {
  const agent = await world.client();
  const job = freshId();
  const { id } = await agent.emit(CRAWL, { job });
  const result = await agent.call("start_crawl", { job, replay: "10m", once: true });
  assert.deepEqual(ids(await agent.woken(result)), [id]);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
}

export async function everySubscriberGetsEachOne(world) {
  const [one, two] = [await world.client({ user: "ada" }), await world.client({ name: "claude-code" })];
  const job = freshId();
  const results = [await one.call("start_crawl", { job }), await two.call("start_crawl", { job })];
  const other = await one.call("start_crawl", { job: freshId() });
  const emitted = await one.emit(CRAWL, { job });
  assert.equal(emitted.matched, 2);
  for (const result of results) {
    const [wake, ...others] = await one.woken(result);
    assert.deepEqual([wake.occurrence, wake.arguments, wake.payload, others], [emitted.id, { job }, { status: "done" }, []]);
  }
  assert.deepEqual(await one.woken(other, 0), []);
}

export async function personalNeedsAUser(world) {
  const table = freshId();
  const ada = await world.client({ user: "ada" });
  assert.equal(entriesOf(await ada.call("take_seat", { table })).length, 1);
  const nobody = await world.client();
  const result = await nobody.call("take_seat", { table });
  assert.deepEqual([result.structuredContent.state, result.structuredContent.reason], ["unavailable", "no_user"]);
  assert.deepEqual(entriesOf(result), []);
  const open = await nobody.call("subscribe_events", { event: "game.turn", arguments: { table } });
  assert.equal(open.isError, true);
}

export async function personalReachesWhomItNames(world) {
  const table = freshId();
  const [ada, bob] = [await world.client({ user: "ada" }), await world.client({ user: "bob" })];
  const seats = [await ada.call("take_seat", { table }), await bob.call("take_seat", { table })];
  const { id, matched } = await ada.emit("game.turn", { table }, { to: "ada" });
  assert.equal(matched, 1);
  assert.deepEqual(ids(await ada.woken(seats[0])), [id]);
  assert.deepEqual(await bob.woken(seats[1], 0), []);
  assert.equal((await ada.emit("game.turn", { table }, { to: ["ada", "bob", "eve"] })).matched, 2);
}

export async function personalEmitNamesItsUsers(world) {
  const agent = await world.client({ user: "ada" });
  const table = freshId();
  await agent.call("take_seat", { table });
  assert.equal((await agent.emit("game.turn", { table }, { to: "ada" })).matched, 1);
  assert.equal((await agent.emit("game.turn", { table })).code, "to_required");
  assert.equal((await agent.emit(CRAWL, { job: table }, { to: "ada" })).code, "to_refused");
}

/** The subscriber can't say whose stream it wants: by no argument, and by no second sign-in. */
export async function nobodyElsesStream(world) {
  const table = freshId();
  const ada = await world.client({ user: "ada" });
  const bob = await world.client({ user: "bob" });
  const seat = await bob.call("take_seat", { table, conversation_id: "ada" });
  const open = await bob.call("subscribe_events", { event: "game.turn", arguments: { table, user: "ada" } });
  const { matched } = await ada.emit("game.turn", { table }, { to: "ada" });
  assert.equal(matched, 0);
  assert.equal(entriesOf(seat).length, 1);
  for (const result of [seat, open]) assert.deepEqual(await bob.woken(result, 0), []);
}

export async function endingWhenAccessIsLost(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_crawl", { job });
  assert.equal((await agent.ask("end", { event: CRAWL, args: { job } })).ended, 1);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
  assert.deepEqual(await agent.woken(result, 0), []);
  assert.equal((await agent.ask("end", {})).code, "bad_request");
}

/** An optional argument of a subscription is looked for in the payload. */
export async function optionalArgumentFilters(world) {
  const agent = await world.client();
  const job = freshId();
  const filtered = await agent.call("start_crawl", { job, site: "a" });
  const all = await agent.call("start_text", { job });
  const emit = (payload) => agent.emit(CRAWL, { job }, { payload: { status: "done", ...payload } });
  const [{ id: other }, { id: without }, { id: same }] = [await emit({ site: "b" }), await emit({}), await emit({ site: "a" })];
  assert.deepEqual(ids(await agent.woken(filtered)), [same]);
  assert.deepEqual(ids(await agent.woken(all)), [other, without, same]);
}

export async function ttlBoundsASubscription(world) {
  const agent = await world.client();
  const begun = Date.now();
  const [{ expiresAt }] = entriesOf(await agent.call("start_crawl", { job: freshId(), ttl: "2h" }));
  const hours = (Date.parse(expiresAt) - begun) / 3_600_000;
  assert.ok(hours > 1.9 && hours < 2.1, `it ends in ${hours} hours`);
  for (const ttl of ["59s", "31d", "soon"]) {
    const result = await agent.call("start_crawl", { job: freshId(), ttl });
    assert.equal(result.isError, true, ttl);
    assert.deepEqual(entriesOf(result), []);
  }
}
