import { randomBytes } from "node:crypto";
import { registerLocalCore, type TrustAnswer } from "@wakeshift/bridge";
import { formatSecret } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { CONVERSATION, startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { countConnections } from "./bridge-support/counting-listener.ts";

/** An entry as a tool result could carry it, of a core that may be anybody's. */
function entryOf(core: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    v: 1,
    core,
    ticket: formatSecret("ticket", randomBytes(32)),
    id: `sub_${randomBytes(16).toString("hex")}`,
    event: "crawl.finished",
    arguments: { job: "a" },
    once: false,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    tool: "start_crawl",
    app: { id: "app_1", name: "Crawler" },
    ...changes,
  };
}

const resultOf = (entries: unknown, tool = "start_crawl"): { tool: string; meta: unknown } => ({
  tool,
  meta: { "ai.wakeshift/subscription": entries },
});

describe("no core is contacted before its origin is allowed", () => {
  test("an origin that waits for an answer gets no connection, is listed, and is named once", async () => {
    const bridge = await startBridgeWorld();
    const stranger = await countConnections();
    const results = [resultOf([entryOf(stranger.url)])];
    const first = await bridge.report([], { results, can_notice: true });
    expect(first).toMatchObject({ accepted: 1, waiting: [stranger.url], live: 1 });
    expect(first.notice).toContain(`wakeshift allow ${stranger.url}`);
    expect((await bridge.report([], { results: [resultOf([entryOf(stranger.url)])], can_notice: true })).notice).toBeUndefined();
    expect(await bridge.status()).toMatchObject({
      waiting_for_answer: [{ origin: stranger.url, apps: ["app_1"] }],
      cores: [{ origin: stranger.url, allowed: false, local: false, connected: false }],
    });
    await bridge.take({ wait_ms: 1_500 });
    expect(stranger.connections()).toBe(0);
    expect((await bridge.call("POST", "/v1/allow", { origin: stranger.url })).status).toBe(200);
    await until("the first connection", () => stranger.connections() > 0);
    await bridge.call("POST", "/v1/deny", { origin: stranger.url });
    expect(await bridge.status()).toMatchObject({ waiting_for_answer: [], muted: [{ origin: stranger.url }], unsent_acks: 0 });
    const before = stranger.connections();
    const denied = await bridge.report([], { results: [resultOf([entryOf(stranger.url)])], can_notice: true });
    expect(denied).toMatchObject({ accepted: 1, waiting: [] });
    expect(denied.notice).toBeUndefined();
    await bridge.report([], { conversation: "another", results: [resultOf([entryOf(stranger.url)])] });
    await bridge.take({ conversation: "another", wait_ms: 1_000 });
    expect(stranger.connections()).toBe(before);
  });

  test("a notice waits for a hook that can show one", async () => {
    const bridge = await startBridgeWorld();
    const results = [resultOf([entryOf("https://wake.example.com")])];
    expect((await bridge.report([], { results })).notice).toBeUndefined();
    expect((await bridge.report([], { can_notice: true })).notice).toContain("https://wake.example.com");
  });

  test("a core that was started on this machine is allowed, also one that starts later", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    expect(await bridge.report([await subscribe(core.app)])).toMatchObject({ accepted: 1, waiting: [core.url] });
    registerLocalCore(bridge.home.folder, core.url);
    await until("the stream is live", async () => (await bridge.status()).cores[0]?.connected);
    expect((await bridge.status()).cores).toMatchObject([{ allowed: true, local: true }]);
  });

  test("loopback alone is no reason to trust", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    await bridge.report([await subscribe(core.app)]);
    await emit(core.app);
    await bridge.take({ wait_ms: 800 });
    expect(await bridge.status()).toMatchObject({ pending: [], cores: [{ connected: false, detail: "waits for your answer" }] });
  });

  test("allowed for one app, the core can't wake for another that calls itself the first", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    await core.addApp("Other");
    const subscribed = await subscribe(core.app);
    const honest = subscribed.body.addition.meta["ai.wakeshift/subscription"][0];
    const allowed = entryOf(core.url, { app: { id: "app_other", name: "Other" } });
    expect(await bridge.report([], { results: [resultOf([honest])] })).toMatchObject({ waiting: [core.url] });
    await bridge.report([], { conversation: "other", results: [resultOf([allowed])] });
    expect((await bridge.call("POST", "/v1/allow", { origin: core.url, app: "app_other" })).status).toBe(200);
    await until("the made-up ticket to be refused", async () => (await bridge.status()).subscriptions === 1);
    const lying = await subscribe(core.app);
    const entry = { ...lying.body.addition.meta["ai.wakeshift/subscription"][0], app: { id: "app_other", name: "Other" } };
    await bridge.report([], { conversation: "lied-to", results: [resultOf([entry])] });
    // The stream's first word tells the lie, so it may be found out before anybody sees the stream.
    await until("the lie's ticket is live, or found out already", async () => {
      const { cores, subscriptions } = await bridge.status();
      return cores[0]?.connected === true || subscriptions === 1;
    });
    await emit(core.app);
    await until("the ticket to be ended", async () => (await bridge.status()).subscriptions === 1);
    expect(await bridge.take({ conversation: "lied-to" })).toEqual({ wake: null, live: 0, leave: true });
    expect((await bridge.status()).pending).toEqual([]);
  });

  test("a denial mutes what is subscribed: nothing comes, status names the command, and once allowed again what was emitted meanwhile arrives", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await until("the stream", async () => (await bridge.status()).cores[0]?.connected);
    expect((await bridge.call<TrustAnswer>("POST", "/v1/deny", { origin: core.url })).body).toMatchObject({
      subscriptions: 1,
      others: "denied",
    });
    const [first, second] = [await emit(core.app), await emit(core.app)];
    expect((await bridge.take({ wait_ms: 700 })).wake).toBeNull();
    expect(await bridge.status()).toMatchObject({
      subscriptions: 1,
      pending: [],
      muted: [{ origin: core.url, subscriptions: 1 }],
      cores: [{ connected: false, detail: "muted, since you denied it" }],
    });
    await bridge.call("POST", "/v1/allow", { origin: core.url });
    const occurrences: string[] = [];
    while (occurrences.length < 2) {
      const { wake } = await bridge.take();
      occurrences.push(...(wake?.occurrences ?? []));
      await bridge.outcome(wake?.delivery ?? "", "seen");
    }
    expect(occurrences).toEqual([first, second]);
    expect((await bridge.status()).muted).toEqual([]);
  });

  test("a wake that was handed before its core was denied isn't shown a second time after it is allowed again", async () => {
    const core = await startWorld({ leaseMs: 500 });
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    await emit(core.app);
    const { wake } = await bridge.take();
    await bridge.call("POST", "/v1/deny", { origin: core.url });
    expect(await bridge.outcome(wake?.delivery ?? "", "seen")).toEqual({ known: true });
    await bridge.call("POST", "/v1/allow", { origin: core.url });
    await until("the ack got through", async () => (await bridge.status()).unsent_acks === 0);
    const next = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([next]);
  });

  test("the newest answer wins: a denied core wakes nobody, whatever was allowed of it before", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld();
    await bridge.report([await subscribe(core.app)]);
    await bridge.call("POST", "/v1/allow", { origin: core.url, app: core.appId });
    await until("the stream", async () => (await bridge.status()).cores[0]?.connected);
    await bridge.call("POST", "/v1/deny", { origin: core.url });
    await emit(core.app);
    expect((await bridge.take({ wait_ms: 700 })).wake).toBeNull();
    expect((await bridge.status()).cores).toMatchObject([{ allowed: false, connected: false }]);
  });

  test("an app is denied by the name that every screen shows, or by its id; an unknown one is refused with those that are known", async () => {
    const core = await startWorld();
    const bridge = await startBridgeWorld({ core });
    await bridge.report([await subscribe(core.app)]);
    const deny = (app: string): Promise<{ status: number; body: any }> => bridge.call("POST", "/v1/deny", { origin: core.url, app });
    const unknown = await deny("crawler");
    expect([unknown.status, unknown.body.error.code]).toEqual([400, "bad_request"]);
    expect(unknown.body.error.message).toContain(`Known: Crawler (${core.appId}).`);
    expect((await bridge.call<any>("POST", "/v1/allow", { origin: core.url, app: "app_1" })).status).toBe(400);
    for (const app of ["Crawler", core.appId]) {
      const denied = await deny(app);
      expect(denied.body).toEqual({ origin: core.url, app: { id: core.appId, name: "Crawler" }, subscriptions: 1, others: "allowed" });
      expect((await bridge.status()).muted).toEqual([{ origin: core.url, app: { id: core.appId, name: "Crawler" }, subscriptions: 1 }]);
      await bridge.call("POST", "/v1/allow", { origin: core.url, app });
    }
  });

  test("refuses entries that aren't well formed, or not the tool's own", async () => {
    const bridge = await startBridgeWorld();
    const refused: Record<string, Record<string, unknown>> = {
      "http on another machine": { core: "http://wake.example.com" },
      "http on another machine by address": { core: "http://192.0.2.1:4870" },
      "another scheme": { core: "file:///etc/passwd" },
      "credentials in the address": { core: "https://user:secret@wake.example.com" },
      "a query in the address": { core: "https://wake.example.com/?x=1" },
      "a ticket that is none": { ticket: "wkt_short" },
      "a session key for a ticket": { ticket: `wsk_${"a".repeat(32)}` },
      "another version": { v: 2 },
      "no event name": { event: "Not An Event" },
      "arguments that are no object": { arguments: [] },
      "arguments above 4 KiB": { arguments: { job: "x".repeat(5_000) } },
      "an id with a newline": { id: "sub_\n1" },
      "no expiry": { expiresAt: "tomorrow" },
      "another tool's entry": { tool: "other_tool" },
      "no app": { app: undefined },
    };
    for (const [what, changes] of Object.entries(refused)) {
      const answer = await bridge.report([], { results: [resultOf([entryOf("https://wake.example.com", changes)])] });
      expect({ what, ...answer }).toEqual({ what, accepted: 0, refused: 1, waiting: [], live: 0 });
    }
  });

  test("takes sixteen entries of a result and no more", async () => {
    const bridge = await startBridgeWorld();
    const entries = Array.from({ length: 20 }, (_, place) => entryOf("https://wake.example.com", { arguments: { job: String(place) } }));
    expect(await bridge.report([], { results: [resultOf(entries)] })).toMatchObject({ accepted: 16, refused: 4, live: 16 });
  });

  test("anything else in a result's _meta is left alone", async () => {
    const bridge = await startBridgeWorld();
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { "ai.wakeshift/subscription": null },
      { "ai.wakeshift/subscription": "x" },
      { "ai.wakeshift/subscription": [[]] },
    ];
    const answer = await bridge.report([], { results: odd.map((meta) => ({ tool: "start_crawl", meta })) });
    expect(answer).toMatchObject({ accepted: 0, live: 0 });
    expect((await bridge.report([], { conversation: CONVERSATION })).live).toBe(0);
  });
});
