import assert from "node:assert/strict";
import { entriesOf, freshId } from "../world.mjs";

const FLOORS = { typescript: [0, 11], python: [0, 10], go: [0, 10] };
const CRAWL = "crawl.finished";
const CI = "ci.finished";
const OLDER = { "crawl.finished": "job", "crawl.failed": "job", "ci.finished": "repo", "news.posted": "none" };

/**
 * An app that an older SDK published, with subscriptions by a tool and by the built-in one, and the server that then emitted twice
 * for it. Made once; each check looks at one thing about it.
 */
function upgraded(way) {
  return way.world.shared("upgraded", async () => {
    const app = await way.world.newApp();
    const older = way.world.olderSdk(app);
    await older.publish(OLDER);
    const job = freshId();
    const repo = `ada/${freshId()}`;
    const byTool = await older.subscribe("start_crawl", CRAWL, { job });
    const byBuiltIn = [
      await older.subscribe("subscribe_events", CRAWL, { job }),
      await older.subscribe("subscribe_events", CRAWL, { job }),
    ];
    const byBuiltInToCi = await older.subscribe("subscribe_events", CI, { repo });
    const agent = await way.client({ app });
    const emitted = [await agent.emit(CRAWL, { job }), await agent.emit(CRAWL, { job })];
    const closed = (await agent.ask("log")).entries.filter(({ code }) => code === "event_closed");
    return { app, agent, job, repo, byTool, byBuiltIn, byBuiltInToCi, emitted, closed };
  });
}

const ids = (wakes) => wakes.map((wake) => wake.occurrence);

export async function publishSaysItsVersion(way) {
  const { app } = await upgraded(way);
  const { sdk, events } = way.world.manifestOf(app);
  const [major, minor] = sdk.version.split(".").map(Number);
  const [floorMajor, floorMinor] = FLOORS[sdk.language];
  assert.ok(major > floorMajor || (major === floorMajor && minor >= floorMinor), `${sdk.language} ${sdk.version}`);
  assert.deepEqual(events.find(({ name }) => name === CRAWL).access, []);
}

export async function firstPublishCloses(way) {
  const { app, agent, closed } = await upgraded(way);
  const changes = await way.world.accessChanges(app);
  assert.deepEqual(
    changes.filter(({ event, before, after }) => event === CRAWL && before === null && after.length === 0).map(({ ended }) => ended),
    [2],
  );
  assert.equal((await agent.call("subscribe_events", { event: CRAWL, arguments: { job: freshId() } })).isError, true);
  assert.equal(closed.length, 2);
}

export async function closingEndsTheBuiltIns(way) {
  const { agent, byBuiltIn, emitted } = await upgraded(way);
  assert.deepEqual(
    emitted.map(({ matched }) => matched),
    [1, 1],
  );
  for (const result of byBuiltIn) assert.deepEqual(await agent.woken(result, 0), []);
}

export async function closingKeepsTheTools(way) {
  const { agent, byTool, emitted } = await upgraded(way);
  assert.ok(emitted.every(({ matched }) => matched > 0));
  const woken = ids(await agent.woken(byTool));
  if (woken.length < emitted.length) woken.push(...ids(await agent.woken(byTool)));
  assert.deepEqual(
    woken,
    emitted.map(({ id }) => id),
  );
}

export async function closingIsLoggedOnce(way) {
  const { closed } = await upgraded(way);
  assert.deepEqual(
    closed.map(({ level }) => level),
    ["warn", "warn"],
  );
  for (const event of [CRAWL, "crawl.failed"]) assert.equal(closed.filter(({ message }) => message.includes(event)).length, 1, event);
}

export async function closingSaysHowMany(way) {
  const { closed } = await upgraded(way);
  assert.match(messageOf(closed, CRAWL), /\b2 subscription/);
  assert.match(messageOf(closed, "crawl.failed"), /\b0 subscription/);
}

export async function closingSaysHowToReopen(way) {
  const { closed } = await upgraded(way);
  for (const declaration of ["authorize", "personal", "public"]) assert.ok(messageOf(closed, CRAWL).includes(declaration), declaration);
}

const messageOf = (closed, event) => closed.find(({ message }) => message.includes(event))?.message ?? "";

export async function declaredEventsStayOpen(way) {
  const { agent, repo, byBuiltInToCi, closed } = await upgraded(way);
  assert.ok(!closed.some(({ message }) => message.includes(CI)));
  assert.notEqual(closed.length, 0);
  const { id, matched } = await agent.emit(CI, { repo });
  assert.equal(matched, 1);
  assert.deepEqual(ids(await agent.woken(byBuiltInToCi)), [id]);
}

export async function declaringOpensAgain(way) {
  const { app } = await upgraded(way);
  const job = freshId();
  const open = await way.client({ app, flags: ["--reopened"] });
  assert.equal(entriesOf(await open.call("subscribe_events", { event: CRAWL, arguments: { job } })).length, 1);
  assert.equal((await open.emit(CRAWL, { job })).matched, 1);
  const [{ before, after, sdk }] = (await way.world.accessChanges(app)).filter(({ event }) => event === CRAWL);
  assert.deepEqual([before, after], [[], ["public"]]);
  assert.match(sdk, /^(typescript|python|go) \d/);
}
