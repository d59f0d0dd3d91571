import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const CRAWL = "crawl.finished";

/**
 * A server that starts without a core, and loses it again later: a tool that subscribes gets an error it can catch, all the rest
 * goes on, and so does subscribing once the core is there.
 */
export async function coreAwayHurtsNothingElse(way) {
  const app = await way.world.newApp();
  way.world.cut(app);
  const agent = await way.client({ app });
  const tools = await agent.listed();
  assert.notEqual(tools.find(({ name }) => name === "start_crawl").inputSchema.properties.session_key, undefined);
  await withoutTheCore(agent, tools);
  way.world.mend(app);
  const job = freshId();
  assert.equal(entriesOf(await agent.call("start_crawl", { job })).length, 1);
  way.world.cut(app);
  await withoutTheCore(agent, tools);
  assert.equal((await agent.emit(CRAWL, { job })).code, "unreachable");
  way.world.mend(app);
  assert.equal((await agent.ask("watch_repo", { repo: job })).state, "subscribed");
  assert.equal((await agent.emit(CRAWL, { job })).matched, 1);
}

async function withoutTheCore(agent, tools) {
  const caught = await agent.ask("watch_repo", { repo: "r" });
  assert.deepEqual([caught.code, caught.state], ["unreachable", ""]);
  const failed = await agent.call("start_crawl", { job: freshId() });
  assert.deepEqual([failed.isError, entriesOf(failed)], [true, []]);
  assert.deepEqual(await agent.listed(), tools);
  assert.deepEqual(await agent.ask("untouched", { url: "u" }), { arguments: ["url"] });
}
