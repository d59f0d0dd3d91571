import assert from "node:assert/strict";
import { entriesOf, freshId, sessionKeyOf } from "../world.mjs";

const CRAWL = "crawl.finished";
const bearer = (token) => ({ headers: { authorization: `Bearer ${token}` } });

/** The same MCP session where there are sessions, and the same session key: a user's next token goes on, another's begins anew. */
export async function newTokenKeepsTheSession(way) {
  const wire = await way.wire();
  const job = freshId();
  const called = async (token, args) => (await wire.call("start_crawl", { job, ...args }, bearer(token))).result;
  const made = await called("token-of-ada.1", {});
  const key = { session_key: sessionKeyOf(made) };
  const renewed = await called("token-of-ada.2", key);
  assert.equal(entriesOf(renewed)[0].id, entriesOf(made)[0].id);
  const listed = await wire.call("list_subscriptions", key, bearer("token-of-ada.3"));
  assert.ok(JSON.stringify(listed).includes(job));
  const other = await called("token-of-bob", key);
  assert.notEqual(entriesOf(other)[0].id, entriesOf(made)[0].id);
  assert.notEqual(sessionKeyOf(other), key.session_key);
  const listedToBob = JSON.stringify(await wire.call("list_subscriptions", key, bearer("token-of-bob")));
  assert.ok(!listedToBob.includes(entriesOf(made)[0].id));
  await wire.call("unsubscribe_events", { ...key, event: CRAWL }, bearer("token-of-bob"));
  const ada = await way.client({ user: "ada" });
  assert.deepEqual(
    (await ada.woken(renewed, 0)).map((wake) => wake.occurrence),
    [],
  );
  const { id } = await ada.emit(CRAWL, { job });
  assert.deepEqual(
    (await ada.woken(renewed)).map((wake) => wake.occurrence),
    [id],
  );
}

/** Whatever stands where a user should: refused in the same words, and by no personal event reached. */
export async function nobodyIsNobodyAlike(way) {
  const tokens = [undefined, "token-as-empty", "token-as-blank", "token-as-null", "token-as-number", "token-as-error"];
  const table = freshId();
  const answers = [];
  for (const token of tokens) {
    const agent = await way.client({ token });
    const seat = await agent.call("subscribe_events", { event: "game.turn", arguments: { table } });
    const watch = await agent.call("subscribe_events", { event: "ci.finished", arguments: { repo: `ada/${table}` } });
    for (const result of [seat, watch]) assert.deepEqual([result.isError, entriesOf(result)], [true, []], token);
    answers.push([seat.content, watch.content]);
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  const ada = await way.client({ user: "ada" });
  assert.equal(entriesOf(await ada.call("take_seat", { table })).length, 1);
  for (const to of ["", " ", ["ada", ""]])
    assert.match((await ada.emit("game.turn", { table }, { to })).code, /^to_(required|refused)$/, JSON.stringify(to));
  assert.equal((await ada.emit("game.turn", { table }, { to: "ada" })).matched, 1);
}
