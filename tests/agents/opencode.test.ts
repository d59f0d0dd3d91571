import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpencodeServer } from "./support/opencode-server.ts";
import type { World } from "./support/world.ts";
import { recordLatency } from "./support/latency.ts";
import {
  OPENCODE_ENV,
  PATIENCE_MS,
  TEST_MS,
  asked,
  setUpOpencode,
  startOpencode,
  subscribe,
  subscribersOf,
  wakesAmong,
} from "./support/opencode-server.ts";
import { commandLinesOf } from "./support/processes.ts";
import { waitUntil } from "./support/wait-until.ts";
import { makeWorld } from "./support/world.ts";

async function makeOpencodeWorld(): Promise<{ world: World; opencode: OpencodeServer }> {
  const world = await makeWorld("opencode");
  await setUpOpencode(world);
  return { world, opencode: await startOpencode(world) };
}

describe("opencode", { timeout: TEST_MS }, () => {
  let world: World;
  let opencode: OpencodeServer;

  beforeAll(async () => {
    ({ world, opencode } = await makeOpencodeWorld());
  }, TEST_MS);

  afterAll(async () => {
    await world.close();
  });

  it("gets a new turn in the idle conversation after one emit, with event, app, occurrence and payload before the model (PC-01)", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "idle");
    for (const round of [1, 2, 3]) {
      const from = world.model.requests.length;
      const sent = performance.now();
      const { id } = await world.emit({
        args: { job: "idle" },
        payload: { status: "done", pages: round },
        text: `Crawl idle ended for the ${String(round)}. time`,
      });
      const request = await asked(world, id, from);
      recordLatency("opencode", "idle, serve", request.at - sent);
      expect(request.newest).toMatch(
        new RegExp(`^\\[Wakeshift\\] crawl\\.finished from crawler \\(app_\\w+\\), occurrence ${id}, subscription sub_[0-9a-f]{32}\\n`),
      );
      expect(request.newest).toContain("not instructions from its user");
      expect(request.newest).toContain(`> Crawl idle ended for the ${String(round)}. time`);
      expect(request.newest).toContain(`payload: {"status":"done","pages":${String(round)}}`);
      await opencode.idle(session);
      expect(world.model.timesSeen(id)).toBe(1);
    }
    expect(wakesAmong(await opencode.messages(session))).toHaveLength(3);
  });

  it("shows two emits of a burst once each", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "burst");
    const emitted = await Promise.all([1, 2].map((pages) => world.emit({ args: { job: "burst" }, payload: { status: "done", pages } })));
    for (const { id } of emitted) await asked(world, id);
    await opencode.idle(session);
    const shown = wakesAmong(await opencode.messages(session))
      .map((message) => message.text)
      .join("\n");
    for (const { id } of emitted) {
      expect(world.model.timesSeen(id)).toBe(1);
      expect(shown.split(id)).toHaveLength(2);
    }
  });

  it("reads an emit that comes while its turn runs, once", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "busy");
    const from = world.model.requests.length;
    await opencode.say(session, "#hold working\nlong work");
    await asked(world, "long work", from);
    const { id } = await world.emit({ args: { job: "busy" }, payload: { status: "done" } });
    await waitUntil(
      "the wake to stand in the busy conversation",
      async () => (await opencode.messages(session)).some((message) => message.text.includes(id)),
      PATIENCE_MS,
    );
    world.model.release("working");
    await asked(world, id, from);
    await opencode.idle(session);
    expect(world.model.timesSeen(id)).toBe(1);
    expect((await opencode.messages(session)).filter((message) => message.role === "assistant").length).toBeGreaterThan(0);
  });

  it("is woken once by a once subscription: a second emit wakes nobody", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "once", { once: true });
    const first = await world.emit({ args: { job: "once" }, payload: { status: "done" } });
    await asked(world, first.id);
    await waitUntil("the subscription to have ended", async () => (await subscribersOf(world, "once")).length === 0, PATIENCE_MS);
    const second = await world.emit({ args: { job: "once" }, payload: { status: "done" } });
    expect(second.matched).toBe(0);
    // A wake that goes another way round afterwards shows that nothing of the second one was under way.
    await subscribe(world, opencode, session, "after");
    const third = await world.emit({ args: { job: "after" }, payload: { status: "done" } });
    await asked(world, third.id);
    expect(world.model.requests.some((request) => request.text.includes(second.id))).toBe(false);
  });

  it("wakes each of two conversations by its own arguments only", async () => {
    const sessions = [await opencode.open(), await opencode.open()] as const;
    await subscribe(world, opencode, sessions[0], "left");
    await subscribe(world, opencode, sessions[1], "right");
    const left = await world.emit({ args: { job: "left" }, payload: { status: "done" } });
    const right = await world.emit({ args: { job: "right" }, payload: { status: "done" } });
    for (const { id } of [left, right]) await asked(world, id);
    for (const session of sessions) await opencode.idle(session);
    const shown = await Promise.all(
      sessions.map(async (session) => (await opencode.messages(session)).map((message) => message.text).join("\n")),
    );
    expect(shown.map((text) => [text.includes(left.id), text.includes(right.id)])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("is found armed by doctor, by opencode's own word", async () => {
    const doctor = await world.cli(["doctor", "--json"], { timeoutMs: PATIENCE_MS });
    const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly { program: string; check: string; ok: boolean }[] };
    const own = checks.filter((check) => check.program === "opencode");
    expect(own.map((check) => check.check)).toEqual(expect.arrayContaining(["program", "plugin", "loaded"]));
    expect(own.filter((check) => !check.ok)).toEqual([]);
  });

  it("isn't held up in a run that ends with its turn: what comes later waits, and nothing is started", async () => {
    // On stdin, since opencode quotes the words of its command line once more.
    const run = world.run("opencode", ["run", "please"], { env: OPENCODE_ENV, stdin: true });
    run.child.stdin?.end('#tool watch_crawl {"job":"run"}\n');
    await asked(world, "Watching crawl run.");
    expect(await run.ended).toBe(0);
    const { id } = await world.emit({ args: { job: "run" }, payload: { status: "done" } });
    const waiting = await waitUntil(
      "the wake to wait at the bridge",
      async () => (await world.status()).pending.find((one) => one.occurrence === id && one.state === "conversation_closed"),
      PATIENCE_MS,
    );
    expect(waiting.conversation).toMatch(/^ses_/);
    expect(world.model.requests.some((request) => request.text.includes(id))).toBe(false);
  });

  it("is woken although the bridge was killed with -9 and the core restarted between subscribe and emit", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "crash");
    await world.killBridge("all");
    await world.stopCore("SIGKILL");
    await world.startCore();
    const { id, matched } = await world.emit({ args: { job: "crash" }, payload: { status: "done" } });
    expect(matched).toBe(1);
    await asked(world, id);
    await opencode.idle(session);
    expect(world.model.timesSeen(id)).toBe(1);
  });

  it("keeps the conversation's own agent: a wake doesn't lead out of plan mode", async () => {
    const session = await opencode.open();
    await subscribe(world, opencode, session, "plan", { agent: "plan" });
    const { id } = await world.emit({ args: { job: "plan" }, payload: { status: "done" } });
    await asked(world, id);
    await opencode.idle(session);
    const wake = wakesAmong(await opencode.messages(session))[0];
    expect(wake?.agent).toBe("plan");
  });
});

describe("opencode with the plugin, where nothing is subscribed", () => {
  it("works as ever, and starts no process of ours", { timeout: TEST_MS }, async () => {
    const { world, opencode } = await makeOpencodeWorld();
    try {
      const session = await opencode.open();
      await opencode.say(session, "hello");
      await asked(world, "hello");
      await opencode.idle(session);
      expect(commandLinesOf(world.dir).filter(({ line }) => /hook opencode|bridge/.test(line))).toEqual([]);
    } finally {
      await world.close();
    }
  });
});
