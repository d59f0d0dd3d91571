import assert from "node:assert/strict";
import { until } from "../until.mjs";
import { entriesOf, freshId, sessionKeyOf } from "../world.mjs";

const OURS = { session_key: `wsk_${"x".repeat(32)}`, harness: "codex", conversation_id: "c1" };
const CRAWL = "crawl.finished";

export async function wrappedHandlersGetTheirOwn(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_crawl", { job, once: true, ...OURS });
  assert.deepEqual(result.structuredContent?.arguments, ["event", "job", "once", "then"]);
  assert.equal(entriesOf(result).length, 1);
}

export async function otherHandlersGetTheirOwn(world) {
  const agent = await world.client();
  assert.deepEqual(await agent.ask("untouched", { url: "u", ...OURS }), { arguments: ["url"] });
  assert.notEqual((await agent.call("no_events", OURS)).isError, true);
}

export async function additionHasTextAndMeta(world) {
  const agent = await world.client();
  const job = freshId();
  const { content, _meta: meta, structuredContent } = await agent.call("start_text", { job });
  assert.equal(content[0].text, "started");
  assert.match(content.at(-1).text, /crawl\.finished/);
  assert.equal(structuredContent, undefined);
  const [entry, ...others] = entriesOf({ _meta: meta });
  assert.deepEqual(others, []);
  assert.match(entry.ticket, /^wkt_[A-Za-z0-9]{32}$/);
  assert.match(entry.id, /^sub_[0-9a-f]{32}$/);
  assert.deepEqual([entry.v, entry.event, entry.arguments, entry.once, entry.tool], [1, CRAWL, { job }, false, "start_text"]);
  assert.ok(!JSON.stringify(content).includes(entry.ticket));
  assert.equal(meta["example.com/own"], job);
}

export async function additionIsStructuredToo(world) {
  const agent = await world.client();
  const result = await agent.call("start_crawl", { job: freshId(), once: true });
  const block = result.structuredContent.wakeshift;
  assert.deepEqual([block.state, block.event, block.once], ["subscribed", CRAWL, true]);
  assert.equal(block.id, entriesOf(result)[0].id);
}

export async function subscribesByTheContext(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_text", { job });
  const { id } = await agent.emit(CRAWL, { job });
  assert.deepEqual(
    (await agent.woken(result)).map((wake) => wake.occurrence),
    [id],
  );
}

export async function undeclaredIsRefused(world) {
  const agent = await world.client();
  const job = freshId();
  assert.deepEqual(await agent.ask("undeclared", { job }), { code: "undeclared_event" });
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
}

/** Whatever ends a call early: nothing of it stays, and nothing of it is told. */
async function endsWith(agent, then, judge) {
  const good = freshId();
  await agent.call("start_crawl", { job: good });
  assert.equal((await agent.emit(CRAWL, { job: good })).matched, 1);
  const job = freshId();
  const result = await agent.call("start_crawl", { job, then }).catch((error) => ({ thrown: error, isError: true }));
  judge(result);
  assert.deepEqual(entriesOf(result), []);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 0);
}

const failed = (result) => assert.equal(result.isError, true);
export const throwEnds = async (world) => endsWith(await world.client(), "throw", failed);
export const isErrorEnds = async (world) => endsWith(await world.client(), "is_error", failed);
export const refusedOutputEnds = async (world) => endsWith(await world.client(), "bad_output", failed);

export async function cancelEnds(world) {
  const agent = await world.client();
  const good = freshId();
  await agent.call("start_crawl", { job: good });
  assert.equal((await agent.emit(CRAWL, { job: good })).matched, 1);
  const job = freshId();
  const abort = new AbortController();
  const call = agent.call("start_crawl", { job, then: "wait" }, { signal: abort.signal }).catch(() => "canceled");
  await until(async () => (await agent.emit(CRAWL, { job })).matched === 1);
  abort.abort();
  assert.equal(await call, "canceled");
  await until(async () => (await agent.emit(CRAWL, { job })).matched === 0);
}

export async function errorFieldIsSuccess(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_crawl", { job, then: "error_field" });
  assert.equal(result.structuredContent.error, "slow");
  assert.equal(entriesOf(result).length, 1);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 1);
}

export async function renewedByItsSessionKey(world) {
  const agent = await world.client();
  const job = freshId();
  const first = await agent.call("start_crawl", { job });
  const again = await agent.call("start_crawl", { job, session_key: sessionKeyOf(first) });
  assert.equal(entriesOf(again)[0].id, entriesOf(first)[0].id);
  assert.notEqual(entriesOf(again)[0].ticket, entriesOf(first)[0].ticket);
}

/** What a client asserts, another conversation's key and ids included, shows it nothing. */
export async function assertedFactsGiveNothing(world) {
  const ada = await world.client({ user: "ada" });
  const job = freshId();
  const made = await ada.call("start_crawl", { job, harness: "codex", conversation_id: "thread-1" });
  const key = sessionKeyOf(made);
  const bob = await world.client({ user: "bob" });
  const asBob = await bob.call("start_crawl", { job, session_key: key, harness: "codex", conversation_id: "thread-1" });
  assert.notEqual(entriesOf(asBob)[0].id, entriesOf(made)[0].id);
  assert.notEqual(sessionKeyOf(asBob), key);
  const listed = await bob.call("list_subscriptions", { session_key: key });
  assert.ok(!JSON.stringify(listed).includes(entriesOf(made)[0].id));
  await bob.call("unsubscribe_events", { session_key: key, event: CRAWL });
  assert.equal((await ada.emit(CRAWL, { job })).matched, 2);
}

export async function longLivedServerIsAttachedOnce(world) {
  const agent = await world.client();
  const job = freshId();
  const result = await agent.call("start_crawl", { job });
  const { id } = await agent.emit(CRAWL, { job });
  assert.deepEqual(
    (await agent.woken(result)).map((wake) => wake.occurrence),
    [id],
  );
  assert.ok((await agent.tools()).get("start_crawl").inputSchema.properties.session_key !== undefined);
}
