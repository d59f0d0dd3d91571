import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { bridgeHome } from "../home.ts";
import type { HandedWake, Program } from "@wakeshift/programs";
import { startScriptedCore, until } from "../stream/scripted-core.test.support.ts";
import { registerLocalCore } from "../trust/local-cores.ts";
import { entryOf, openBridge, reportOf, wakeOf } from "./bridge.test.support.ts";

const DAY = 86_400_000;

/** A clock that runs, and that a test sets. */
function settableClock(): { now: () => number; monotonic: () => number; wallAhead: number; passed: number } {
  const clock = {
    wallAhead: 0,
    passed: 0,
    now: () => systemClock.now() + clock.passed + clock.wallAhead,
    monotonic: () => systemClock.monotonic() + clock.passed,
  };
  return clock;
}

async function setup(): Promise<{
  readonly clock: ReturnType<typeof settableClock>;
  readonly bridge: ReturnType<typeof openBridge>;
  readonly delivered: HandedWake[];
  readonly acks: () => string[];
  readonly emit: (occurrence: string) => void;
  readonly refuse: (refuses: boolean) => void;
  readonly ticks: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  let refuses = false;
  const core = await startScriptedCore(
    (stream) => stream.send("ready", { tickets: 1, ping_ms: 20_000 }),
    (request, response) => {
      if (!refuses || request.url?.endsWith("/stream") === true) return false;
      response.writeHead(503).end("{}");
      return true;
    },
  );
  registerLocalCore(folder, core.url);
  const delivered: HandedWake[] = [];
  const program: Program = {
    name: "codex",
    delivery: "pushed",
    readHook: () => ({}),
    isOpen: () => true,
    deliver: (wake) => {
      delivered.push(wake);
      return Promise.resolve({ state: "seen" });
    },
  };
  const clock = settableClock();
  const bridge = openBridge({ home: bridgeHome(folder), programs: [program], clock });
  const ticket = formatSecret("ticket", randomBytes(32));
  await bridge.report(reportOf(entryOf(core.url, ticket)));
  await until("the stream", () => core.streams.length > 0);
  const emit = (occurrence: string): void => core.streams.at(-1)?.send("wake", wakeOf(ticket, "sub_1", occurrence));
  const acks = (): string[] => core.posts.flatMap((post) => (post.body.acks ?? []).map((ack) => ack.occurrence));
  // The bridge looks every 50 ms.
  const ticks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 400));
  return { clock, bridge, delivered, acks, emit, refuse: (now) => void (refuses = now), ticks };
}

test("a wall clock that is days ahead for a while ends no subscription, and what came meanwhile is handed over once it is right", async () => {
  const { clock, bridge, delivered, acks, emit, ticks } = await setup();
  clock.wallAhead = 3 * DAY;
  emit("evt_1");
  await until("the wake", () => bridge.status().pending.length === 1);
  await ticks();
  // By that clock the subscription has expired: nothing of it may be shown.
  expect([bridge.status().subscriptions, delivered]).toEqual([1, []]);
  clock.wallAhead = 0;
  await until("the ack", () => acks().length > 0);
  await ticks();
  expect([delivered.map((wake) => wake.occurrences), acks()]).toEqual([[["evt_1"]], ["evt_1"]]);
});

test("a wall clock that is set back days wakes nothing twice, and later wakes come as ever", async () => {
  const { clock, delivered, acks, emit, ticks } = await setup();
  emit("evt_1");
  await until("the first ack", () => acks().length === 1);
  clock.wallAhead = -3 * DAY;
  emit("evt_1");
  emit("evt_2");
  await until("the second", () => acks().includes("evt_2"));
  await ticks();
  expect(delivered.flatMap((wake) => wake.occurrences)).toEqual(["evt_1", "evt_2"]);
});

test("a wall clock that is weeks ahead for a while loses no ack that its core hasn't taken yet, and forgets nothing that was shown", async () => {
  const { clock, bridge, delivered, acks, emit, refuse, ticks } = await setup();
  refuse(true);
  emit("evt_1");
  await until("the unsent ack", () => bridge.status().unsent_acks === 1);
  // More than the pause between two rounds of forgetting.
  clock.passed += 11 * 60_000;
  clock.wallAhead = 30 * DAY;
  await ticks();
  clock.wallAhead = 0;
  expect(bridge.status()).toMatchObject({ subscriptions: 1, unsent_acks: 1 });
  emit("evt_1");
  refuse(false);
  await until("the ack", () => acks().length > 0);
  await ticks();
  expect(delivered).toHaveLength(1);
});

test("a subscription whose time is really over ends, also where the machine slept meanwhile", async () => {
  const { clock, bridge } = await setup();
  clock.wallAhead = 3 * DAY;
  await until("the jump to be noticed", () => bridge.status().subscriptions === 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  clock.passed += 3_600_000;
  await until("the end", () => bridge.status().subscriptions === 0);
});
