import { request } from "node:http";
import { LIMITS } from "@wakeshift/protocol";
import { describe, expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import type { CoreWorld } from "./core-support/core-world.ts";
import { receivedAcks } from "./core-support/received-acks.ts";
import type { BridgeWorld, BridgeWorldOptions } from "./bridge-support/bridge-world.ts";
import { CONVERSATION, startBridgeWorld, until } from "./bridge-support/bridge-world.ts";

const LEASE = { WAKESHIFT_TAKER_LEASE: "4s" };

async function worlds(options: BridgeWorldOptions = {}): Promise<{ core: CoreWorld; bridge: BridgeWorld }> {
  const core = await startWorld();
  const bridge = await startBridgeWorld({ core, ...options });
  return { core, bridge };
}

/** How many acks of each occurrence the core received, once the bridge has none left to send. */
async function acked(core: CoreWorld, bridge: BridgeWorld, ...occurrences: readonly string[]): Promise<number[]> {
  await until("no ack under way", async () => (await bridge.status()).unsent_acks === 0);
  return occurrences.map((occurrence) => receivedAcks(core.dataDir, occurrence).length);
}

const pending = (bridge: BridgeWorld, state: string): Promise<unknown> =>
  until(`a wake that is ${state}`, async () => (await bridge.status()).pending.some((wake) => wake.state === state));

describe("one taker for each wake", () => {
  test("a second taker makes the first leave, and alone gets the wake", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    const first = bridge.take({ taker: "first" });
    const second = bridge.take({ taker: "second" });
    const ends = await Promise.race([
      first.then((answer) => ({ who: "first", answer })),
      second.then((answer) => ({ who: "second", answer })),
    ]);
    expect(ends.answer).toEqual({ wake: null, live: 1, leave: true });
    const occurrence = await emit(core.app);
    const left = await (ends.who === "first" ? second : first);
    expect(left.wake?.occurrences).toEqual([occurrence]);
  });

  test("a wake without an outcome is offered again after its lease, under another name (PC-40)", async () => {
    const { core, bridge } = await worlds({ env: LEASE });
    await bridge.report([await subscribe(core.app)]);
    const occurrence = await emit(core.app);
    const first = await bridge.take({ taker: "first" });
    const second = await bridge.take({ taker: "second" });
    expect([first.wake?.occurrences, second.wake?.occurrences]).toEqual([[occurrence], [occurrence]]);
    expect(await bridge.outcome(second.wake?.delivery ?? "", "handed")).toEqual({ known: true });
    expect(await bridge.outcome(first.wake?.delivery ?? "", "handed")).toEqual({ known: false });
    expect(await bridge.take({ wait_ms: 1_500 })).toEqual({ wake: null, live: 1 });
  });

  test("a taker whose connection breaks before the answer gets nothing, the next one does", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    const body = JSON.stringify({ program: "cursor", conversation: CONVERSATION, taker: "gone", unattended: false, wait_ms: 20_000 });
    const outgoing = request({
      socketPath: bridge.home.socket,
      method: "POST",
      path: "/v1/take",
      headers: { "content-type": "application/json" },
    });
    outgoing.on("error", () => undefined);
    await new Promise<void>((resolve) => outgoing.end(body, () => resolve()));
    outgoing.destroy();
    const occurrence = await emit(core.app);
    const taken = await bridge.take();
    expect(taken.wake?.occurrences).toEqual([occurrence]);
  });

  test("a wake that was refused isn't acked, and comes again (PC-27)", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    const occurrence = await emit(core.app);
    const first = await bridge.take();
    await bridge.outcome(first.wake?.delivery ?? "", "failed");
    expect(await bridge.status()).toMatchObject({ pending: [{ occurrence, state: "failed" }] });
    const { wake } = await bridge.take();
    expect(wake?.occurrences).toEqual([occurrence]);
    expect(await acked(core, bridge, occurrence)).toEqual([0]);
    await bridge.outcome(wake?.delivery ?? "", "seen");
    expect(await acked(core, bridge, occurrence)).toEqual([1]);
  });

  test("wakes come in one, up to twenty, and the rest in the next", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    const occurrences: string[] = [];
    for (let count = 0; count < 25; count += 1) occurrences.push(await emit(core.app));
    await until("all to be here", async () => (await bridge.status()).pending.length === 25);
    const first = await bridge.take();
    expect(first.wake?.occurrences.length).toBeLessThanOrEqual(LIMITS.occurrencesPerWake);
    expect(Buffer.byteLength(first.wake?.text ?? "")).toBeLessThanOrEqual(LIMITS.frameBytes);
    const got = [...(first.wake?.occurrences ?? [])];
    while (got.length < 25) got.push(...((await bridge.take()).wake?.occurrences ?? []));
    expect(got).toEqual(occurrences);
  });

  test("two conversations with different arguments don't cross", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app, { arguments: { job: "a" } })], { conversation: "one" });
    await bridge.report([await subscribe(core.app, { arguments: { job: "b" } })], { conversation: "two" });
    const ofOne = bridge.take({ conversation: "one", taker: "one" });
    const ofTwo = bridge.take({ conversation: "two", taker: "two" });
    const b = await emit(core.app, { arguments: { job: "b" } });
    const a = await emit(core.app, { arguments: { job: "a" } });
    expect([(await ofOne).wake?.occurrences, (await ofTwo).wake?.occurrences]).toEqual([[a], [b]]);
  });

  test("a waiter leaves when its program is gone (PC-25)", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    expect(await bridge.take({ pid: 4_194_303 })).toMatchObject({ wake: null, leave: true });
  });

  test("an unattended run waits no longer than unattended-wait", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)], { unattended: true });
    expect((await bridge.call("POST", "/v1/set", { key: "unattended-wait", value: "300ms" })).status).toBe(200);
    expect(await bridge.take({ unattended: true })).toEqual({ wake: null, live: 1, leave: true });
    expect(await bridge.take({ unattended: true, taker: "other", waited_ms: 400 })).toEqual({ wake: null, live: 1, leave: true });
  });
});

describe("closed conversations", () => {
  test("aren't started: their wakes stay unacked and come together when they open (PC-24)", async () => {
    const { core, bridge } = await worlds();
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    await bridge.report([], { lifecycle: "closed" });
    const occurrences = [await emit(core.app), await emit(core.app)];
    await until("both", async () => (await bridge.status()).pending.length === 2);
    await pending(bridge, "conversation_closed");
    expect(await acked(core, bridge, ...occurrences)).toEqual([0, 0]);
    await bridge.report([], { lifecycle: "opened" });
    const { wake } = await bridge.take();
    expect(wake?.occurrences).toEqual(occurrences);
    expect(await acked(core, bridge, ...occurrences)).toEqual([0, 0]);
    expect(wake?.text).toMatch(/^\[Wakeshift\] 2 occurrences\n/);
  });
});

describe("the wake budget", () => {
  test("holds what is over it, shows it, and hands it over in one wake when there is room", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app)]);
    await bridge.call("POST", "/v1/set", { key: "wake-budget", value: "1" });
    const first = await emit(core.app);
    const taken = await bridge.take();
    expect(taken.wake?.occurrences).toEqual([first]);
    await bridge.outcome(taken.wake?.delivery ?? "", "handed");
    const held = [await emit(core.app), await emit(core.app)];
    await until("both", async () => (await bridge.status()).pending.length === 2);
    expect(await bridge.take({ wait_ms: 500 })).toEqual({ wake: null, live: 1 });
    expect((await bridge.status()).pending).toMatchObject([{ state: "over_budget" }, { state: "over_budget" }]);
    const taking = bridge.take();
    await bridge.call("POST", "/v1/set", { key: "wake-budget", value: "2" });
    expect((await taking).wake?.occurrences).toEqual(held);
  });
});

describe("one occurrence, one showing", () => {
  test("an occurrence that two subscriptions of a conversation match is shown once, and acked for both", async () => {
    const { core, bridge } = await worlds();
    // Two conversations at the core, since no session key connects them; one here.
    const one = await subscribe(core.app, { name: "free.form", arguments: { job: "a" } });
    const two = await subscribe(core.app, { name: "free.form", arguments: {} });
    await bridge.report([one, two]);
    await until("both live", async () => (await bridge.status()).cores[0]?.connected);
    const occurrence = await emit(core.app, { name: "free.form", payload: { any: 1 } });
    await until("it to be here", async () => (await bridge.status()).pending.length === 1);
    const { wake } = await bridge.take();
    expect(wake?.occurrences).toEqual([occurrence]);
    await bridge.outcome(wake?.delivery ?? "", "handed");
    await until("the acks to get through", async () => (await bridge.status()).unsent_acks === 0);
    expect(await bridge.take({ wait_ms: 800 })).toEqual({ wake: null, live: 2 });
  });

  test("subscribing again without a session key keeps the newest and ends the older at the core", async () => {
    const { core, bridge } = await worlds();
    const older = await subscribe(core.app);
    await bridge.report([older]);
    const newer = await subscribe(core.app);
    expect(newer.id).not.toBe(older.id);
    await bridge.report([newer]);
    await until("the older to end at the core", async () => {
      const { body } = await core.app.post("/event-subscriptions/list", { call: { client: "codex-mcp-client", session: older.session } });
      return body.subscriptions.length === 0;
    });
    const listed = (await bridge.call<{ subscriptions: { id: string }[] }>("GET", "/v1/subscriptions")).body.subscriptions;
    expect(listed.map((one) => one.id)).toEqual([newer.id]);
    const occurrence = await emit(core.app);
    const { wake } = await bridge.take();
    expect(wake?.occurrences).toEqual([occurrence]);
    await bridge.outcome(wake?.delivery ?? "", "handed");
    expect(await bridge.take({ wait_ms: 800 })).toMatchObject({ wake: null, live: 1 });
  });

  test("a renewed subscription goes on with its new ticket", async () => {
    const { core, bridge } = await worlds();
    const first = await subscribe(core.app);
    await bridge.report([first]);
    const renewed = await subscribe(core.app, {}, { session: first.session });
    expect(renewed.id).toBe(first.id);
    await bridge.report([renewed]);
    await until("the older ticket to be retired", async () => (await bridge.status()).cores[0]?.subscriptions === 1);
    const occurrence = await emit(core.app);
    expect((await bridge.take()).wake?.occurrences).toEqual([occurrence]);
  });

  test("a subscription that ends takes its pending wakes with it", async () => {
    const { core, bridge } = await worlds();
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    await emit(core.app);
    await until("it to be here", async () => (await bridge.status()).pending.length === 1);
    expect((await core.app.post("/event-subscriptions/end", { id: subscribed.id })).status).toBe(200);
    await until("it to go", async () => (await bridge.status()).pending.length === 0);
    expect(await bridge.take()).toEqual({ wake: null, live: 0, leave: true });
  });

  test("ending it here ends it at the core", async () => {
    const { core, bridge } = await worlds();
    const subscribed = await subscribe(core.app);
    await bridge.report([subscribed]);
    expect((await bridge.call("POST", "/v1/end", { id: subscribed.id })).body).toEqual({ ended: 1 });
    await until("the core to know", async () => {
      const { body } = await core.app.post("/event-subscriptions/list", {
        call: { client: "codex-mcp-client", session: subscribed.session },
      });
      return body.subscriptions.length === 0;
    });
    expect(await bridge.call("POST", "/v1/end", { id: subscribed.id })).toMatchObject({
      status: 404,
      body: { error: { code: "unknown_subscription" } },
    });
  });

  test("what a frame cut is shown whole", async () => {
    const { core, bridge } = await worlds();
    await bridge.report([await subscribe(core.app, { name: "free.form" })]);
    const payload = { long: "x".repeat(200_000) };
    const occurrence = await emit(core.app, { name: "free.form", payload });
    const { wake } = await bridge.take();
    expect(wake?.text).toContain(`(cut: npx wakeshift show ${occurrence})`);
    const shown = await bridge.call<{ payload: unknown }>("GET", `/v1/occurrences/${occurrence}`);
    expect(shown.body.payload).toEqual(payload);
    expect(await bridge.call("GET", "/v1/occurrences/evt_none")).toMatchObject({ status: 404 });
  });
});
