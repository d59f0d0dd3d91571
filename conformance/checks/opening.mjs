import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const NATIVE = { extensions: { "io.modelcontextprotocol/events": {} } };
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
  const told = JSON.stringify(entries.filter(({ code }) => code === "authorize_failed"));
  assert.ok(told.includes("TypeError"), "the log names the error's type");
  assert.ok(!told.includes("no answer"));
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

/** Every entry the server's `authorize` got for this repository. */
async function askedFor(agent, repo) {
  const { asked } = await agent.ask("asked");
  return asked.filter(({ args }) => args.repo === repo);
}

export async function authorizeIsToldWhoAsks(world) {
  const repo = `ada/${freshId()}`;
  const ada = await world.client({ user: "ada", name: "acme-agent" });
  await subscribes(ada, "ci.finished", { repo });
  const [asked, ...others] = await askedFor(ada, repo);
  assert.deepEqual(others, []);
  assert.equal(asked.native, false);
  assert.deepEqual([asked.user, asked.token, asked.args], ["ada", "token-of-ada", { repo }]);
  // A request that stands alone doesn't carry what `initialize` said.
  assert.equal(asked.client, world.name === "stateless" ? "" : "acme-agent");
}

/** What a client says of itself is passed on as it says it, and opens nothing. */
export async function clientAndNativeAreClaims(world) {
  const repo = `ada/${freshId()}`;
  const bob = await world.client({ user: "bob", name: "ada", capabilities: NATIVE });
  await isRefused(bob, "ci.finished", { repo });
  const [asked] = await askedFor(bob, repo);
  assert.deepEqual([asked.user, asked.client, typeof asked.native], ["bob", "ada", "boolean"]);
  const ada = await world.client({ user: "ada", name: "bob" });
  await subscribes(ada, "ci.finished", { repo });
}

/** Who shares a thing is looked up by the arguments; each of them gets what is emitted with these. */
export async function sharedThingsAreLookedUp(world) {
  const repo = `ada+bob/${freshId()}`;
  const [ada, bob, nobody] = [await world.client({ user: "ada" }), await world.client({ user: "bob" }), await world.client()];
  const results = [await builtIn(ada, "ci.finished", { repo }), await builtIn(bob, "ci.finished", { repo })];
  await isRefused(nobody, "ci.finished", { repo });
  await isRefused(bob, "ci.finished", { repo: repo.replace("+bob", "") });
  const { id, matched } = await ada.emit("ci.finished", { repo });
  assert.equal(matched, 2);
  for (const result of results)
    assert.deepEqual(
      (await ada.woken(result)).map((wake) => wake.occurrence),
      [id],
    );
}

export async function authorizeIsAskedOnce(world) {
  const repo = `ada/${freshId()}`;
  const ada = await world.client({ user: "ada" });
  const result = await builtIn(ada, "ci.finished", { repo });
  for (let round = 0; round < 2; round += 1) {
    const { id } = await ada.emit("ci.finished", { repo });
    assert.deepEqual(
      (await ada.woken(result)).map((wake) => wake.occurrence),
      [id],
    );
  }
  await ada.call("list_subscriptions");
  assert.equal((await askedFor(ada, repo)).length, 1);
}

export async function authorizeWithoutAnEndRefuses(world) {
  const ada = await world.client({ user: "ada" });
  const begun = Date.now();
  await isRefused(ada, "ci.finished", { repo: "endless" });
  const seconds = (Date.now() - begun) / 1_000;
  assert.ok(seconds > 9 && seconds < 30, `it took ${seconds} seconds`);
  const { entries } = await ada.ask("log");
  assert.ok(entries.some(({ code, message }) => code === "authorize_failed" && /time ?out|deadline/i.test(message)));
  await subscribes(ada, "ci.finished", { repo: `ada/${freshId()}` });
}
