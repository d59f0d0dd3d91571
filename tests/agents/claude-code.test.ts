import { afterEach, describe, expect, it } from "vitest";
import type { World } from "./support/world.ts";
import { armed, setUpClaude, startClaude, subscribe, timesInTurns } from "./support/claude-code.ts";
import { recordLatency } from "./support/latency.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

let world: World;

afterEach(async () => {
  await world.close();
});

async function setup(): Promise<void> {
  world = await makeWorld("claude-code");
  await setUpClaude(world);
}

describe("Claude Code", { timeout: 180_000 }, () => {
  it("gets a new turn in the idle conversation after one emit, with event, app, occurrence and payload before the model (PC-01, seed-153)", async () => {
    await setup();
    const session = startClaude(world);
    await subscribe(world, session, "idle");
    for (const round of [1, 2, 3]) {
      await armed(world);
      const from = world.model.requests.length;
      const sent = performance.now();
      const { id } = await world.emit({
        args: { job: "idle" },
        payload: { status: "done", pages: round },
        text: `Crawl idle ended for the ${round}. time`,
      });
      const request = await world.model.waitFor(id, { from });
      recordLatency("claude-code", "idle, asyncRewake", request.at - sent);
      expect(request.newest).toMatch(
        new RegExp(`\\n\\[Wakeshift\\] crawl\\.finished from crawler \\(app_\\w+\\), occurrence ${id}, subscription sub_[0-9a-f]{32}\\n`),
      );
      expect(request.newest).toContain("not instructions from its user");
      expect(request.newest).toContain(`\n> Crawl idle ended for the ${round}. time\n`);
      expect(request.newest).toContain(`\npayload: {"status":"done","pages":${round}}`);
      await session.ended(1 + round);
      expect(world.model.timesSeen(id)).toBe(1);
    }
  });

  it("shows two emits of a burst once each", async () => {
    await setup();
    const session = startClaude(world);
    await subscribe(world, session, "burst");
    const emitted = await Promise.all([1, 2].map((pages) => world.emit({ args: { job: "burst" }, payload: { status: "done", pages } })));
    for (const { id } of emitted) await world.model.waitFor(id);
    await waitUntil("no wake pending", async () => (await world.status()).pending.length === 0);
    for (const { id } of emitted) expect(timesInTurns(world, await session.id(), id)).toBe(1);
  });

  it("reads an emit that comes while a tool of its turn runs longer than the lease, once", async () => {
    await setup();
    const session = startClaude(world);
    await subscribe(world, session, "busy");
    session.say('#tool Bash {"command":"while [ ! -e go ]; do sleep 0.1; done","description":"wait"}');
    await waitUntil("the tool", () => session.started.stdout.includes("while [ ! -e go ]"));
    const { id } = await world.emit({ args: { job: "busy" }, payload: { status: "done" } });
    await waitUntil("the wake in the program's queue", async () =>
      (await world.status()).pending.some((one) => one.occurrence === id && one.state === "leased"),
    );
    // A taker's lease is 30 s: while the program still has the wake in its queue, it must not be offered again.
    const leasedAt = performance.now();
    await waitUntil("the end of the lease", () => performance.now() - leasedAt > 32_000, 40_000);
    expect(await world.acks(id)).toEqual([]);
    await world.run("touch", ["go"]).ended;
    await world.model.waitFor(id);
    await session.ended(2);
    await waitUntil("no wake pending", async () => (await world.status()).pending.length === 0);
    await waitUntil("its ack", async () => (await world.acks(id)).length === 1);
    expect(timesInTurns(world, await session.id(), id)).toBe(1);
  });

  it("is woken once by a subscription for one occurrence", async () => {
    await setup();
    const session = startClaude(world);
    await subscribe(world, session, "once", { once: true });
    const first = await world.emit({ args: { job: "once" }, payload: { status: "done" } });
    expect(first.matched).toBe(1);
    await world.model.waitFor(first.id);
    await session.ended(2);
    await world.subscribed(0);
    const second = await world.emit({ args: { job: "once" }, payload: { status: "done" } });
    expect(second.matched).toBe(0);
    session.say("anything new?");
    await session.ended(3);
    expect(timesInTurns(world, await session.id(), second.id)).toBe(0);
  });

  it("wakes each of two conversations for its own arguments only", async () => {
    await setup();
    const one = startClaude(world);
    await subscribe(world, one, "left");
    const other = startClaude(world);
    await subscribe(world, other, "right", { live: 2 });
    const left = await world.emit({ args: { job: "left" }, payload: { status: "done" } });
    const right = await world.emit({ args: { job: "right" }, payload: { status: "done" } });
    await Promise.all([one.ended(2), other.ended(2)]);
    const [oneId, otherId] = [await one.id(), await other.id()];
    expect([left.id, right.id].map((id) => timesInTurns(world, oneId, id))).toEqual([1, 0]);
    expect([left.id, right.id].map((id) => timesInTurns(world, otherId, id))).toEqual([0, 1]);
  });

  it("is woken although the bridge was killed and the core restarted between subscription and emit", async () => {
    await setup();
    const session = startClaude(world);
    await subscribe(world, session, "restart");
    await world.killBridge();
    await world.stopCore();
    await world.startCore();
    const { id } = await world.emit({ args: { job: "restart" }, payload: { status: "done" } });
    await world.model.waitFor(id, { timeoutMs: 40_000 });
    await session.ended(2);
    expect(timesInTurns(world, await session.id(), id)).toBe(1);
  });
});
