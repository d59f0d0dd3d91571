import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, CRAWL, emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { JsonAnswer } from "./core-support/core-client.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

test("no log line and no refusal holds a secret, a payload or a text, whatever went wrong", async () => {
  const world = await startWorld();
  const holder = `holder-${randomBytes(16).toString("hex")}`;
  const marker = `marker-${randomBytes(12).toString("hex")}`;
  const made = await subscribe(world.app, { once: true }, { user: "ada", harness: marker });
  const refusals: JsonAnswer[] = [];
  const refused = async (answer: Promise<JsonAnswer>): Promise<void> => {
    const got = await answer;
    expect(got.status).toBeGreaterThanOrEqual(400);
    refusals.push(got);
  };

  const stream = await (await WakeStream.open(world.url, holder, [made.ticket])).untilReady();
  await emit(world.app, { payload: { status: "done", note: marker }, text: marker });
  const [wake] = await stream.wakes();
  await world.fetchJson("POST", "/api/wakes/v1/ack", {
    holder,
    acks: [{ ticket: made.ticket, occurrence: wake.occurrence, state: "handed" }],
  });
  stream.close();

  const { app } = world;
  const token = await app.assertion();
  await app.call("GET", "/app", undefined, `Bearer ${token}`);
  await refused(app.call("GET", "/app", undefined, `Bearer ${token}`));
  await refused(app.call("GET", "/app", undefined, `Bearer ${app.key}`));
  await refused(app.call("GET", "/app", undefined, `Bearer ${await app.assertion({ header: { kid: app.key.slice(0, 22) } })}`));
  await refused(app.call("GET", `/${app.key}?ticket=${made.ticket}&session=${made.session}`));
  await refused(app.post("/events/emit", { name: app.key, arguments: {}, payload: {} }));
  await refused(app.post("/events/emit", `{"name":"${made.session}`));
  await refused(app.post("/events/emit", { name: CRAWL.name, arguments: { [made.session]: 1 }, payload: { status: made.ticket } }));
  await refused(app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: marker } }));
  await refused(app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done", note: [marker] } }));
  await refused(app.post("/event-subscriptions/list", { call: { client: "another", session: made.session } }));
  await refused(app.post("/event-subscriptions", { call: { client: 1, session: made.session }, name: made.ticket }));
  await refused(app.call("PUT", "/manifest", { events: [{ ...CRAWL, name: made.ticket }] }));
  await refused(
    app.call("PUT", "/manifest", {
      events: [{ ...CRAWL, payload: { type: "object", properties: { a: { pattern: `(${made.session}` } } } }],
    }),
  );
  await refused(world.fetchJson("POST", "/api/wakes/v1/stream", { holder: [holder], tickets: made.ticket }));
  await refused(world.fetchJson("POST", `/api/wakes/v1/${made.ticket}`, {}));
  await refused(world.fetchJson("GET", "/api/admin/v1/apps", undefined, { Authorization: `Bearer ${ADMIN_TOKEN.slice(1)}` }));
  await refused(world.fetchJson("DELETE", `/api/admin/v1/keys/${made.ticket}`, undefined, { Authorization: `Bearer ${ADMIN_TOKEN}` }));
  await refused(world.fetchJson("POST", "/api/admin/v1/apps", { name: app.key }, { Authorization: `Bearer ${ADMIN_TOKEN}` }));
  await refused(world.fetchJson("POST", `/api/admin/v1/apps/${app.key}/keys`, {}, { Authorization: `Bearer ${ADMIN_TOKEN}` }));
  await world.core.close();

  const secrets = [app.key, made.ticket, made.session, holder, marker, ADMIN_TOKEN, ...app.assertions];
  const written = [world.log.join(""), ...refusals.map(({ body, headers }) => JSON.stringify([body, [...headers]]))].join("\n");
  for (const secret of secrets) expect(written).not.toContain(secret.replace(/^w(st|sk|kt)_/, ""));
  expect(world.log.length).toBeGreaterThan(20);
  expect(refusals.every(({ body }) => typeof body.error.code === "string" && body.error.message.length > 10)).toBe(true);
});
