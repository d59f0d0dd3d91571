import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const CRAWL = "crawl.finished";
const ADDED = { session_key: `wsk_${"x".repeat(32)}`, harness: "codex", conversation_id: "c1" };

/** Tools that take nothing but what they name are listed so, and refuse so. */
export async function closedSchemasStayClosed(way) {
  const agent = await way.client();
  const tools = await agent.tools();
  for (const [name, required] of [
    ["start_crawl", ["job"]],
    ["start_text", ["job"]],
    ["untouched", ["url"]],
  ]) {
    const { inputSchema } = tools.get(name);
    assert.deepEqual([inputSchema.additionalProperties, inputSchema.required], [false, required], name);
  }
  const unwrapped = refusalOf(await attempt(agent, "untouched", { url: "u", foo: 1 }), "untouched");
  const wrapped = await attempt(agent, "start_text", { job: freshId(), foo: 1, ...ADDED });
  assert.deepEqual(refusalOf(wrapped, "start_text"), unwrapped);
  assert.equal(entriesOf(await agent.call("start_text", { job: freshId(), ...ADDED })).length, 1);
}

const attempt = (agent, name, args) =>
  agent.call(name, args).catch((error) => ({ isError: true, content: [{ type: "text", text: error.message }] }));

/** What a refused call says, without its tool's name. */
function refusalOf(result, name) {
  assert.equal(result.isError, true);
  return result.content.map(({ text }) => text.replaceAll(name, "TOOL"));
}

/** The official client checks each result against the schema it was listed. */
export async function everyResultIsAccepted(way) {
  const agent = await way.client();
  await agent.tools();
  for (const name of ["closed_output", "all_of_output", "ref_output"]) {
    const job = freshId();
    const subscribed = await agent.call(name, { job, then: "subscribe" });
    assert.equal(subscribed.structuredContent.job, job, name);
    assert.equal(entriesOf(subscribed).length, 1, name);
    const other = await agent.call(name, { job: freshId(), then: "nothing" });
    assert.deepEqual([other.isError ?? false, entriesOf(other)], [false, []], name);
    const failed = await agent.call(name, { job: freshId(), then: "is_error" });
    assert.deepEqual([failed.isError, entriesOf(failed)], [true, []], name);
  }
}

export async function metadataPassesUnchanged(way) {
  const agent = await way.client();
  const job = freshId();
  const own = { "example.com/asked": { deep: [1, null, "x"] }, "example.com/empty": {} };
  const progress = [];
  const result = await agent.call("relay", { job, ...ADDED }, { meta: own, onprogress: (notice) => progress.push(notice) });
  const { meta } = result.structuredContent;
  for (const [key, value] of Object.entries(own)) assert.deepEqual(meta[key], value);
  assert.notEqual(meta.progressToken, undefined);
  assert.deepEqual(progress, [
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
  assert.deepEqual(result._meta["example.com/own"], { job });
  assert.equal(entriesOf(result).length, 1);
}

/** Tools of the author by Wakeshift's name, and tools that come later. */
export async function ownNamesStay(way) {
  const agent = await way.client({ flags: ["--own-names"] });
  assert.deepEqual(agent.capabilities.tools, { listChanged: false });
  const before = (await agent.listed()).map(({ name }) => name);
  assert.deepEqual([before.filter((name) => name === "list_subscriptions").length, before.includes("unsubscribe_events")], [1, true]);
  assert.deepEqual(await agent.ask("list_subscriptions", ADDED), { mine: true });
  const { entries } = await agent.ask("log");
  assert.ok(entries.some(({ code, message }) => code === "builtin_name_conflict" && message.includes("list_subscriptions")));
  await agent.call("add_late");
  assert.notEqual((await agent.tools()).get("late_crawl").inputSchema.properties.session_key, undefined);
  const job = freshId();
  assert.equal(entriesOf(await agent.call("late_crawl", { job, ...ADDED })).length, 1);
  assert.equal((await agent.emit(CRAWL, { job })).matched, 1);
}

/** Tools that a catalog brings, with one place where every call passes. */
export async function generatedToolsAreWrapped(way) {
  const agent = await way.client();
  const tools = await agent.tools();
  assert.notEqual(tools.get("generated_crawl").inputSchema.properties.session_key, undefined);
  assert.equal(tools.get("generated_status").inputSchema.properties.session_key, undefined);
  const job = freshId();
  const result = await agent.call("generated_crawl", { job, ...ADDED });
  assert.equal((await agent.woken(result)).length, 1);
  assert.deepEqual(await agent.ask("generated_status", { job, ...ADDED }), { job });
}

const CLIENTS = 12;
const CALLS = 6;

/** Every program counts its requests from the same number; no answer and no subscription goes to another's. */
export async function answersGoToWhoAsked(way) {
  const wires = await Promise.all(Array.from({ length: CLIENTS }, () => way.wire()));
  const calls = wires.flatMap((wire) =>
    Array.from({ length: CALLS }, async (_, place) => {
      const job = freshId();
      // One session takes an id once at a time.
      const id = way.name === "sessions" ? place + 1 : 1;
      const { status, result } = await wire.call("start_crawl", { job, pause_ms: Math.floor(Math.random() * 50) }, { id });
      assert.equal(status, 200);
      assert.equal(result.structuredContent.job, job);
      const [entry, ...others] = entriesOf(result);
      assert.deepEqual([entry.arguments, others], [{ job }, []]);
      return { job, result };
    }),
  );
  const made = await Promise.all(calls);
  assert.equal(new Set(made.map(({ result }) => entriesOf(result)[0].ticket)).size, CLIENTS * CALLS);
  const agent = await way.client();
  for (const { job, result } of made.filter((_, place) => place % CALLS === 0)) {
    const { id } = await agent.emit(CRAWL, { job });
    assert.deepEqual(
      (await agent.woken(result)).map((wake) => [wake.occurrence, wake.arguments]),
      [[id, { job }]],
    );
  }
}
