import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import type { SubscriptionMetaEntry } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { bridgeHome, type BridgeHome } from "../home.ts";
import type { Delivery, Program } from "@wakeshift/programs";
import type { TakeAnswer, TakeRequest } from "../local-api.ts";
import { startScriptedCore, until } from "../stream/scripted-core.test.support.ts";
import type { Answer, ScriptedCore } from "../stream/scripted-core.test.support.ts";
import { registerLocalCore } from "../trust/local-cores.ts";
import { ticketIdOf } from "../state/ticket-book.ts";
import type { Bridge } from "./bridge.ts";
import { entryOf, openBridge, reportOf, wakeOf } from "./bridge.test.support.ts";
import type { BridgeOptions } from "./bridge.ts";

interface World {
  readonly bridge: Bridge;
  readonly core: ScriptedCore;
  readonly home: BridgeHome;
  readonly entry: SubscriptionMetaEntry;
  /** Occurrences that the program was handed. */
  readonly handed: string[];
  /** Reports the subscription and waits for its stream. */
  subscribe(): Promise<void>;
  emit(occurrence: string, changes?: object): void;
}

interface Setup {
  readonly deliver?: () => Promise<Delivery>;
  /** The program is given wakes by a waiter of its own. */
  readonly taken?: boolean;
  readonly answer?: Answer;
  readonly options?: Partial<BridgeOptions>;
}

async function setup({ deliver, taken = false, answer, options = {} }: Setup = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-promises-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const core = await startScriptedCore((stream) => stream.send("ready", { tickets: 1, ping_ms: 20_000 }), answer);
  registerLocalCore(folder, core.url);
  const handed: string[] = [];
  const program: Program = {
    name: "codex",
    delivery: taken ? "taken" : "pushed",
    readHook: () => ({}),
    ...(taken
      ? {}
      : {
          deliver: (wake) => {
            handed.push(...wake.occurrences);
            return deliver?.() ?? Promise.resolve({ state: "handed" });
          },
        }),
  };
  const home = bridgeHome(folder);
  const bridge = openBridge({ home, programs: [program], leaseMs: 400, ...options });
  const entry = entryOf(core.url, formatSecret("ticket", randomBytes(32)));
  return {
    bridge,
    core,
    home,
    entry,
    handed,
    subscribe: async () => {
      const streams = core.streams.length;
      await bridge.report(reportOf(entry));
      await until("the stream", () => core.streams.length > streams);
    },
    emit: (occurrence, changes = {}) => core.streams.at(-1)?.send("wake", { ...wakeOf(entry.ticket, entry.id, occurrence), ...changes }),
  };
}

const attempts = (core: ScriptedCore, what: string): number => core.attempts.filter((path) => path.endsWith(what)).length;

function take(bridge: Bridge, changes: Partial<TakeRequest> = {}): Promise<TakeAnswer> {
  const request = { program: "codex", conversation: "c", taker: "t", unattended: false, wait_ms: 20_000, ...changes } as const;
  return bridge.take(request, new AbortController().signal);
}

test("a core is told what was handed over before it is told that the subscription has ended", async () => {
  let full = true;
  const { bridge, core, entry, ...world } = await setup({
    answer: (request, response) => {
      if (!full || request.url?.endsWith("/stream") === true) return false;
      response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"storage_full","message":"full"}}');
      return true;
    },
  });
  await world.subscribe();
  world.emit("evt_1");
  await until("an attempt to ack", () => attempts(core, "/ack") > 0);
  await bridge.end(entry.id);
  expect(bridge.status().unsent_acks).toBe(2);
  full = false;
  await until("both", () => core.posts.length === 2);
  expect(core.posts.map(({ path }) => path.split("/").at(-1))).toEqual(["ack", "end"]);
  await until("an empty outbox", () => bridge.status().unsent_acks === 0);
});

test("a wake of an app that may not wake isn't handed over, whatever app its ticket was said to be for", async () => {
  const { bridge, core, entry, handed, ...world } = await setup();
  await world.subscribe();
  const app = { id: "app_2", name: "B" };
  await bridge.report(reportOf({ ...entry, ticket: formatSecret("ticket", randomBytes(32)), id: "sub_2", app }));
  await bridge.deny({ origin: core.url, app: "app_2" });
  core.streams[0]?.send("wake", { ...wakeOf(entry.ticket, entry.id, "evt_1"), app });
  await until("its ticket's end", () => core.posts.some(({ path }) => path.endsWith("/end")));
  expect(core.posts.flatMap(({ body }) => body.tickets ?? [])).toEqual([entry.ticket]);
  expect([handed, bridge.status().pending, attempts(core, "/ack")]).toEqual([[], [], 0]);
});

test("a core receives no ack for a wake that a waiter took, until the waiter says that it was handed over (PC-24)", async () => {
  const { bridge, core, ...world } = await setup({ taken: true });
  await world.subscribe();
  const first = take(bridge);
  world.emit("evt_1");
  expect((await first).wake?.occurrences).toEqual(["evt_1"]);
  // Without a proof it is offered again after its lease.
  const { wake } = await take(bridge, { taker: "t2" });
  expect(wake?.occurrences).toEqual(["evt_1"]);
  expect([attempts(core, "/ack"), bridge.status().unsent_acks]).toEqual([0, 0]);
  await bridge.outcome({ delivery: wake?.delivery ?? "", state: "handed" });
  await until("the ack", () => attempts(core, "/ack") === 1);
});

test("a core receives no ack for a wake that is being handed over", async () => {
  let release: (delivery: Delivery) => void = () => undefined;
  const { core, handed, ...world } = await setup({ deliver: () => new Promise((resolve) => (release = resolve)) });
  await world.subscribe();
  world.emit("evt_1");
  await until("the hand-over", () => handed.length === 1);
  world.emit("evt_2");
  await until("the next wake", () => world.bridge.status().pending.length === 2);
  expect(attempts(core, "/ack")).toBe(0);
  release({ state: "handed" });
  await until("the ack", () => attempts(core, "/ack") > 0);
});

test("each core is shown a holder of its own, and the same one after a restart", async () => {
  const one = await setup();
  await one.subscribe();
  const other = await startScriptedCore((stream) => stream.send("ready", { tickets: 1, ping_ms: 20_000 }));
  registerLocalCore(one.home.folder, other.url);
  const entry = { ...entryOf(other.url, formatSecret("ticket", randomBytes(32))), id: "sub_2", event: "a.c" };
  await expect.poll(() => one.bridge.report(reportOf(entry)).then(() => other.streams.length), { timeout: 30_000 }).toBeGreaterThan(0);
  const [first, second] = [one.core.streams[0]?.holder, other.streams[0]?.holder];
  expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(second).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(second).not.toBe(first);
  await one.bridge.close();
  const before = one.core.streams.length;
  openBridge({ home: one.home });
  await until("the next bridge", () => one.core.streams.length > before);
  expect(one.core.streams.at(-1)?.holder).toBe(first);
});

/** Denies the core, and waits until it is contacted by nothing. Returns how often it was until then. */
async function denied({ bridge, core }: World): Promise<number> {
  await bridge.deny({ origin: core.url });
  await until("the stream's end", () => core.streams.every((stream) => stream.isClosed()));
  return core.attempts.length;
}

/** Nothing tells that something isn't sent: an ack to this machine arrives in a few milliseconds. */
const anAckWouldArrive = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

test("a core that is denied while a wake is being handed over isn't told how that came out", async () => {
  let release: (delivery: Delivery) => void = () => undefined;
  const world = await setup({ deliver: () => new Promise((resolve) => (release = resolve)) });
  await world.subscribe();
  world.emit("evt_1");
  await until("the hand-over", () => world.handed.length === 1);
  const before = await denied(world);
  release({ state: "handed" });
  await anAckWouldArrive();
  expect(world.core.attempts.slice(before)).toEqual([]);
});

test("a core that is denied after a wake was handed over isn't told that a turn showed it", async () => {
  const world = await setup({ taken: true });
  await world.subscribe();
  const taken = take(world.bridge);
  world.emit("evt_1");
  const delivery = (await taken).wake?.delivery ?? "";
  await world.bridge.outcome({ delivery, state: "handed" });
  await until("the ack", () => world.core.posts.length === 1);
  const before = await denied(world);
  await world.bridge.outcome({ delivery, state: "seen" });
  await anAckWouldArrive();
  expect(world.core.attempts.slice(before)).toEqual([]);
});

test("a wake isn't given to a waiter whose program is gone, but to the next one", async () => {
  // Only a wake looks: the bridge's own round comes too late.
  const { bridge, ...world } = await setup({ taken: true, options: { tickMs: 600_000 } });
  await world.subscribe();
  const program = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(program, "spawn");
  const waiting = take(bridge, { taker: "gone", pid: program.pid ?? 0 });
  program.kill("SIGKILL");
  await once(program, "exit");
  world.emit("evt_1");
  expect(await waiting).toMatchObject({ wake: null, leave: true });
  expect((await take(bridge, { taker: "next", pid: process.pid })).wake?.occurrences).toEqual(["evt_1"]);
});

test("a wake larger than a core accepts is left at its core and logged, and the stream goes on", async () => {
  const logged: string[] = [];
  const { core, handed, ...world } = await setup({
    options: { log: (_level, message, facts) => logged.push(`${message} ${String(facts["detail"])}`) },
  });
  await world.subscribe();
  world.emit("evt_1", { payload: "x".repeat(300_000) });
  world.emit("evt_2");
  await until("the ack", () => attempts(core, "/ack") === 1);
  expect(handed).toEqual(["evt_2"]);
  expect(core.streams).toHaveLength(1);
  expect(logged.filter((line) => line.includes("can't be used"))).toEqual([
    "a wake can't be used and is left at its core its payload has 300002 bytes; at most 262144 are accepted",
  ]);
});

test("files that a killed process left half written are gone after the next start, since they may hold tickets", async () => {
  const { bridge, home } = await setup();
  await bridge.close();
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const left = [home.folder, home.occurrences].map((folder) => join(folder, `tickets.json.${String(gone.pid)}.0123abcd.tmp`));
  const underWay = join(home.folder, `local-cores.json.${String(process.ppid)}.0123abcd.tmp`);
  for (const path of [...left, underWay]) writeFileSync(path, "wkt_", { mode: 0o600 });
  openBridge({ home });
  expect([...left, underWay].map((path) => existsSync(path))).toEqual([false, false, true]);
});

test.each([
  ["another event", { event: "bank.transfer" }],
  ["another app", { app: { id: "app_2", name: "Bank" } }],
  ["another subscription", { subscription: "sub_2" }],
])("a wake for %s than its ticket isn't handed over nor acked, and the next right one is", async (_what, changes) => {
  const { core, handed, ...world } = await setup();
  await world.subscribe();
  world.emit("evt_1", changes);
  world.emit("evt_2");
  await until("the right one", () => handed.length > 0);
  expect(handed).toEqual(["evt_2"]);
  await until("its ack", () => core.posts.some(({ path }) => path.endsWith("/ack")));
  expect(JSON.stringify(core.posts)).not.toContain("evt_1");
});

test("a ticket that is over isn't taken again when a hook reports it once more; a renewed one is", async () => {
  const { bridge, core, entry, ...world } = await setup();
  await world.subscribe();
  core.streams.at(-1)?.send("ended", { subscription: entry.id, ticket_id: ticketIdOf(entry.ticket), reason: "delivered" });
  await until("the end", () => bridge.subscriptions().subscriptions.length === 0);
  expect(await bridge.report(reportOf(entry))).toMatchObject({ accepted: 0, refused: 0, live: 0 });
  expect(await bridge.report(reportOf({ ...entry, ticket: formatSecret("ticket", randomBytes(32)) }))).toMatchObject({
    accepted: 1,
    live: 1,
  });
});
