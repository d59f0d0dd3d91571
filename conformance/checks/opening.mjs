import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const builtIn = (agent, event, args) => agent.call("subscribe_events", { event, arguments: args });

async function subscribes(agent, event, args) {
  assert.equal(entriesOf(await builtIn(agent, event, args)).length, 1, event);
}

async function isRefused(agent, event, args) {
  const result = await builtIn(agent, event, args);
  assert.equal(result.isError, true, event);
  assert.deepEqual(entriesOf(result), []);
}

export async function closedUnlessItSaysSo(world) {
  const agent = await world.client();
  const job = freshId();
  const offered = (await agent.tools()).get("subscribe_events").inputSchema.properties.event.enum;
  assert.deepEqual([...offered].sort(), ["ci.finished", "game.turn", "news.posted"]);
  await isRefused(agent, "crawl.finished", { job });
  assert.equal(entriesOf(await agent.call("start_crawl", { job })).length, 1);
  assert.equal((await agent.emit("crawl.finished", { job })).matched, 1);
}

export async function openWhereItSaysSo(world) {
  const ada = await world.client({ user: "ada" });
  await subscribes(ada, "news.posted", {});
  await subscribes(ada, "ci.finished", { repo: `ada/${freshId()}` });
  await subscribes(ada, "game.turn", { table: freshId() });
}

export async function authorizeDecides(world) {
  const [ada, bob, nobody] = [await world.client({ user: "ada" }), await world.client({ user: "bob" }), await world.client()];
  const repo = `ada/${freshId()}`;
  await subscribes(ada, "ci.finished", { repo });
  await isRefused(bob, "ci.finished", { repo });
  await isRefused(nobody, "ci.finished", { repo });
  assert.equal((await ada.emit("ci.finished", { repo })).matched, 1);
}

export async function authorizeThatThrowsRefuses(world) {
  const ada = await world.client({ user: "ada" });
  await subscribes(ada, "ci.finished", { repo: `ada/${freshId()}` });
  await isRefused(ada, "ci.finished", { repo: "broken" });
}

export async function authorizeThatThrowsIsLogged(world) {
  const ada = await world.client({ user: "ada" });
  await isRefused(ada, "ci.finished", { repo: "broken" });
  const { entries } = await ada.ask("log");
  const entry = entries.find(({ code }) => code === "authorize_failed");
  assert.ok(JSON.stringify(entry ?? "").includes("TypeError"), "the log names the error's type");
  assert.ok(!JSON.stringify(entry).includes("no answer"));
}

export async function ownToolsDontAskAuthorize(world) {
  const bob = await world.client({ user: "bob" });
  await isRefused(bob, "ci.finished", { repo: "ada/x" });
  assert.equal(entriesOf(await bob.call("watch_repo", { repo: "ada/x" })).length, 1);
}

export async function requireUserNeedsOne(world) {
  const flags = ["--require-user"];
  const job = freshId();
  const nobody = await world.client({ flags });
  const refused = await nobody.call("watch_repo", { repo: job });
  assert.equal(refused.structuredContent.code, "user_required");
  assert.deepEqual(entriesOf(refused), []);
  assert.equal((await builtIn(nobody, "news.posted", {})).isError, true);
  assert.deepEqual(await nobody.ask("untouched", { url: "u" }), { arguments: ["url"] });
  const ada = await world.client({ user: "ada", flags });
  assert.equal(entriesOf(await ada.call("start_crawl", { job })).length, 1);
}

export async function subscribingIsTold(world) {
  const ada = await world.client({ user: "ada" });
  const job = freshId();
  const [{ id }] = entriesOf(await ada.call("start_crawl", { job }));
  const { notices } = await ada.ask("notices");
  assert.deepEqual(
    notices.filter((notice) => notice.id === id),
    [{ event: "crawl.finished", id, args: { job }, user: "ada", via: "tool", tool: "start_crawl", native: false, context: job }],
  );
}
