import { describe, expect, test } from "vitest";
import { startWorld } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

/** What the published Python client of the 0.3 line sends and reads. It names no SDK, no `via` and no call id. */
const MANIFEST = {
  events: [
    {
      name: "crawl.finished",
      description: "A crawl finished",
      arguments: {
        title: "Job",
        type: "object",
        properties: {
          job: { title: "Job", type: "string" },
          status: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Status" },
        },
        required: ["job"],
      },
      payload: { title: "Done", type: "object", properties: { status: { title: "Status", type: "string" } }, required: ["status"] },
      topic: "ev/crawl.finished/{job}",
      filter: { status: "{status}" },
      delete_on_delivery: true,
    },
    {
      name: "game.turn",
      description: "Your move",
      arguments: { type: "object", properties: { table: { type: "string" } }, required: ["table"] },
      payload: { type: "object", properties: {} },
      topic: "ev/game.turn/{table}",
      personal: true,
    },
  ],
};

const CALL = {
  client: "codex-mcp-client",
  meta: { threadId: "019c0000-0000-7000-8000-000000000000" },
  user_agent: "python-httpx/0.28",
  tool: "watch",
};

describe("the published client's calls", () => {
  test("publish, subscribe, emit, list, end: every answer is a JSON object with the fields it reads", async () => {
    const world = await startWorld({}, []);
    const manifest = await world.app.call("PUT", "/manifest", MANIFEST);
    expect(manifest).toMatchObject({ status: 200, body: { events: 2, changed: true, closed: [] } });
    const subscribed = await world.app.post("/event-subscriptions", { call: CALL, name: "crawl.finished", arguments: { job: "a" } });
    expect(subscribed.status).toBe(200);
    expect(subscribed.body).toMatchObject({
      event_subscription: { id: expect.stringMatching(/^sub_[0-9a-f]{32}$/), created: true },
      session: expect.stringMatching(/^wsk_/),
      agent: { harness: "codex", via: "initialize" },
      addition: { text: expect.any(String), meta: { "ai.wakeshift/subscription": [{ tool: "watch" }] } },
    });
    const emitted = await world.app.post("/events/emit", {
      name: "crawl.finished",
      arguments: { job: "a" },
      payload: { status: "done" },
      text: "done",
      id: "once",
    });
    expect(emitted.body).toMatchObject({ matched: 1, duplicate: false });
    const [entry] = subscribed.body.addition.meta["ai.wakeshift/subscription"];
    const stream = await WakeStream.open(world.url, "holder", [entry.ticket]);
    expect(await stream.wakes()).toMatchObject([{ occurrence: "once", payload: { status: "done" } }]);
    stream.close();
  });

  test("its events are open to subscribe_events, also where the tool alone says so", async () => {
    const world = await startWorld({}, []);
    await world.app.call("PUT", "/manifest", MANIFEST);
    const call = { client: "", tool: "subscribe_events", harness: "opencode" };
    const { status, body } = await world.app.post("/event-subscriptions", { call, name: "crawl.finished", arguments: { job: "a" } });
    expect([status, body.agent]).toEqual([200, { harness: "opencode", via: "harness" }]);
  });

  test("a personal event goes to its user, whose subscriptions it lists and ends", async () => {
    const world = await startWorld({}, []);
    await world.app.call("PUT", "/manifest", MANIFEST);
    const { body } = await world.app.post("/event-subscriptions", {
      call: { ...CALL, user: "ada" },
      name: "game.turn",
      arguments: { table: "juniper" },
    });
    expect(
      (await world.app.post("/events/emit", { name: "game.turn", arguments: { table: "juniper" }, payload: {}, text: "yours", to: "ada" }))
        .body,
    ).toMatchObject({ matched: 1 });
    const listed = await world.app.post("/event-subscriptions/list", { user: "ada" });
    expect(listed.body.subscriptions).toMatchObject([
      {
        id: body.event_subscription.id,
        event: "game.turn",
        arguments: { table: "juniper" },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    expect(listed.body.subscriptions[0].destination).not.toBe("webhook");
    expect((await world.app.post("/event-subscriptions/end", { user: "ada", id: body.event_subscription.id })).body.ended).toBeTruthy();
    expect((await world.app.post("/event-subscriptions/end", { user: "ada", id: body.event_subscription.id })).body.ended).toBeFalsy();
  });

  test("unsubscribing by session key", async () => {
    const world = await startWorld({}, []);
    await world.app.call("PUT", "/manifest", MANIFEST);
    const { body } = await world.app.post("/event-subscriptions", { call: CALL, name: "crawl.finished", arguments: { job: "a" } });
    const unsubscribe = {
      call: { ...CALL, session: body.session, tool: "unsubscribe_events" },
      name: "crawl.finished",
      arguments: { job: "a" },
    };
    expect((await world.app.post("/event-subscriptions/unsubscribe", unsubscribe)).body.ended).toBeTruthy();
    expect((await world.app.post("/event-subscriptions/unsubscribe", unsubscribe)).body.ended).toBeFalsy();
  });

  test("the optional argument filters by the payload's field, as its own topics did", async () => {
    const world = await startWorld({}, []);
    await world.app.call("PUT", "/manifest", MANIFEST);
    const { body } = await world.app.post("/event-subscriptions", {
      call: CALL,
      name: "crawl.finished",
      arguments: { job: "a", status: "failed" },
    });
    const [entry] = body.addition.meta["ai.wakeshift/subscription"];
    for (const status of ["done", "failed"])
      await world.app.post("/events/emit", { name: "crawl.finished", arguments: { job: "a" }, payload: { status }, text: status });
    const next = await world.fetchJson("POST", "/api/wakes/v1/next", { holder: "h", tickets: [entry.ticket] });
    expect(next.body.wakes.map((wake: any) => wake.payload.status)).toEqual(["failed"]);
  });
});
