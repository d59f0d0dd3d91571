import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatSecret } from "@wakeshift/protocol";
import type { LiveTicket, SubscriptionMetaEntry } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { bridgeHome } from "../home.ts";
import type { ConversationState, Delivery, HandedWake, Program } from "@wakeshift/programs";
import type { ReportRequest } from "../local-api.ts";
import { ticketIdOf } from "../state/ticket-book.ts";
import { startScriptedCore, until } from "../stream/scripted-core.test.support.ts";
import type { Answer, Script, ScriptedCore } from "../stream/scripted-core.test.support.ts";
import { registerLocalCore } from "../trust/local-cores.ts";
import type { Bridge } from "./bridge.ts";
import { entryOf, openBridge, reportOf, resultsOf, wakeOf } from "./bridge.test.support.ts";

interface Pushes {
  readonly delivered: HandedWake[];
  readonly resumed: HandedWake[];
  readonly states: ConversationState[];
}

interface World {
  readonly bridge: Bridge;
  readonly core: ScriptedCore;
  readonly folder: string;
  readonly program: Program;
  readonly ticket: string;
  readonly id: string;
  readonly pushes: Pushes;
  /** The entry of the first subscription. */
  readonly entry: SubscriptionMetaEntry;
  report(changes?: Partial<ReportRequest>): Promise<unknown>;
  emit(occurrence: string): void;
}

type Answers = Partial<Pick<Program, "isOpen" | "confirm" | "delivery">> & {
  readonly deliver?: (wake: HandedWake, state: ConversationState) => Promise<Delivery>;
};

function pushedProgram(answers: Answers, pushes: Pushes): Program {
  return {
    name: "codex",
    delivery: "pushed",
    readHook: () => ({}),
    ...answers,
    deliver: (wake, state) => {
      pushes.delivered.push(wake);
      pushes.states.push(state);
      return answers.deliver?.(wake, state) ?? Promise.resolve({ state: "handed" });
    },
    resume: (wake) => {
      pushes.resumed.push(wake);
      return Promise.resolve({ state: "seen" });
    },
  };
}

const sayReady: Script = (stream) => stream.send("ready", { tickets: 1, ping_ms: 20_000 });

async function setup(answers: Answers = {}, script: Script = sayReady, answer?: Answer): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-bridge-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const core = await startScriptedCore(script, answer);
  registerLocalCore(folder, core.url);
  const pushes: Pushes = { delivered: [], resumed: [], states: [] };
  const program = pushedProgram(answers, pushes);
  const bridge = openBridge({ home: bridgeHome(folder), programs: [program], leaseMs: 400 });
  const ticket = formatSecret("ticket", randomBytes(32));
  const entry = entryOf(core.url, ticket);
  return {
    bridge,
    core,
    folder,
    program,
    ticket,
    id: entry.id,
    pushes,
    entry,
    report: (changes = {}) => bridge.report({ ...reportOf(entry), ...changes }),
    emit: (occurrence) => core.streams.at(-1)?.send("wake", wakeOf(ticket, entry.id, occurrence)),
  };
}

/** What the core says of a ticket that it issued for just what the entry says. */
function confirmation(entry: SubscriptionMetaEntry): LiveTicket {
  const { id, ticket, app, event, arguments: args } = entry;
  return { ticket_id: ticketIdOf(ticket), subscription: id, app, event, arguments: args };
}

const acked = (core: ScriptedCore): string[] =>
  core.posts
    .filter((post) => post.path.endsWith("/ack"))
    .flatMap((post) => (post.body.acks ?? []).map((ack) => `${ack.occurrence} ${ack.state}`));
const ready = (world: World): Promise<void> => until("the stream", () => world.core.streams.length > 0);

describe("a program the bridge pushes to", () => {
  test("is handed the wake at once, and the core is told", async () => {
    const world = await setup();
    await world.report({ facts: { where: "here" } });
    await ready(world);
    world.emit("evt_1");
    await until("the ack", () => acked(world.core).length === 1);
    expect(world.pushes.delivered.map((wake) => wake.occurrences)).toEqual([["evt_1"]]);
    expect(world.pushes.states[0]).toMatchObject({ conversation: "c", unattended: false, facts: { where: "here" } });
    expect(acked(world.core)).toEqual(["evt_1 handed"]);
  });

  test("is handed one wake at a time; what comes meanwhile makes the next", async () => {
    const releases: (() => void)[] = [];
    const world = await setup({ deliver: () => new Promise((resolve) => releases.push(() => resolve({ state: "handed" }))) });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("the first push", () => world.pushes.delivered.length === 1);
    for (const occurrence of ["evt_2", "evt_3"]) world.emit(occurrence);
    await until("the others", () => world.bridge.status().pending.length === 3);
    expect(world.pushes.delivered).toHaveLength(1);
    releases[0]?.();
    await until("the second push", () => world.pushes.delivered.length === 2);
    expect(world.pushes.delivered[1]?.occurrences).toEqual(["evt_2", "evt_3"]);
    releases[1]?.();
    await until("the acks", () => acked(world.core).length === 3);
  });

  test("that fails, or throws, is asked again with a pause, and nothing is acked before (PC-24)", async () => {
    const answers: (() => Promise<Delivery>)[] = [
      () => Promise.resolve({ state: "failed", detail: "no such command" }),
      () => Promise.reject(new Error("unforeseen")),
      () => Promise.resolve({ state: "seen" }),
    ];
    const world = await setup({ deliver: () => (answers.shift() ?? (() => Promise.resolve<Delivery>({ state: "handed" })))() });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("the failure to show", () => world.bridge.status().pending[0]?.state === "failed");
    expect(world.bridge.status().pending[0]?.detail).toBe("no such command");
    expect(acked(world.core)).toEqual([]);
    await until("the ack", () => acked(world.core).length === 1);
    expect(acked(world.core)).toEqual(["evt_1 seen"]);
    expect(world.pushes.delivered).toHaveLength(3);
  });

  test("that can't be disturbed now is asked again when the conversation reports", async () => {
    const answers: Delivery[] = [{ state: "not_now", detail: "a dialog is open" }];
    const world = await setup({ deliver: () => Promise.resolve(answers.shift() ?? { state: "handed" }) });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("it to be postponed", () => world.bridge.status().pending[0]?.detail === "a dialog is open");
    await world.bridge.report({ program: "codex", conversation: "c", lifecycle: "idle", unattended: false, results: [] });
    await until("the ack", () => acked(world.core).length === 1);
    expect(world.pushes.delivered).toHaveLength(2);
  });

  test("is never pushed to in an unattended run (PC-23), where only a waiting hook takes", async () => {
    const world = await setup();
    await world.report({ unattended: true });
    await ready(world);
    world.emit("evt_1");
    await until("it to wait", () => world.bridge.status().pending[0]?.state === "no_taker");
    const taken = await world.bridge.take(
      { program: "codex", conversation: "c", taker: "stop-hook", unattended: true, wait_ms: 5_000 },
      new AbortController().signal,
    );
    expect(taken.wake?.occurrences).toEqual(["evt_1"]);
    expect(world.pushes.delivered).toEqual([]);
  });

  test("lets an unattended run go when unattended-wait is over, though the timer was early by the clock", async () => {
    const world = await setup();
    await world.report({ unattended: true });
    await world.bridge.set("unattended-wait", "60ms");
    await world.bridge.close();
    const bridge = openBridge({
      home: bridgeHome(world.folder),
      programs: [world.program],
      leaseMs: 400,
      clock: { now: () => Date.now(), monotonic: () => 1_000 },
    });
    const request = { program: "codex", conversation: "c", taker: "stop-hook", unattended: true, wait_ms: 20_000 } as const;
    expect(await bridge.take(request, new AbortController().signal)).toEqual({ wake: null, live: 1, leave: true });
  });

  test("lets an unattended run go when unattended-wait is over, though a wake is held back by the budget", async () => {
    const world = await setup();
    await world.bridge.set("wake-budget", "1");
    await world.report({ unattended: true });
    await ready(world);
    world.emit("evt_1");
    const request = { program: "codex", conversation: "c", taker: "stop-hook", unattended: true, wait_ms: 20_000 } as const;
    const { wake } = await world.bridge.take(request, new AbortController().signal);
    await world.bridge.outcome({ delivery: wake?.delivery ?? "", state: "seen" });
    world.emit("evt_2");
    await until("it to be held", () => world.bridge.status().pending[0]?.state === "over_budget");
    await world.bridge.set("unattended-wait", "60ms");
    expect(await world.bridge.take(request, new AbortController().signal)).toEqual({ wake: null, live: 1, leave: true });
    expect(world.bridge.status().pending).toMatchObject([{ occurrence: "evt_2", state: "over_budget" }]);
  });

  test("acks seen where a taker says so after it said handed, once", async () => {
    const world = await setup();
    await world.report({ unattended: true });
    await ready(world);
    world.emit("evt_1");
    const request = { program: "codex", conversation: "c", taker: "plugin", unattended: true, wait_ms: 5_000 } as const;
    const { wake } = await world.bridge.take(request, new AbortController().signal);
    const delivery = wake?.delivery ?? "";
    expect(await world.bridge.outcome({ delivery, state: "handed" })).toEqual({ known: true });
    expect(await world.bridge.outcome({ delivery, state: "seen" })).toEqual({ known: true });
    expect(await world.bridge.outcome({ delivery, state: "seen" })).toEqual({ known: false });
    await until("both acks", () => acked(world.core).length === 2);
    expect(acked(world.core)).toEqual(["evt_1 handed", "evt_1 seen"]);
  });

  test("isn't started when its conversation is closed, and is when it opens (PC-24)", async () => {
    let open = false;
    const world = await setup({ isOpen: () => open });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    world.emit("evt_2");
    await until("both to wait", () => world.bridge.status().pending.filter((wake) => wake.state === "conversation_closed").length === 2);
    expect([world.pushes.delivered, world.pushes.resumed, acked(world.core)]).toEqual([[], [], []]);
    open = true;
    await until("the acks", () => acked(world.core).length === 2);
    expect(world.pushes.delivered.map((wake) => wake.occurrences)).toEqual([["evt_1", "evt_2"]]);
  });

  test.each([
    ["never", true, false],
    ["unattended", false, false],
    ["unattended", true, true],
    ["always", false, true],
  ])("with resume %s, a closed conversation (unattended: %s) is continued: %s", async (resume, unattended, continued) => {
    const world = await setup();
    await world.bridge.set("resume", resume);
    await world.report({ unattended });
    await world.bridge.report({ program: "codex", conversation: "c", lifecycle: "closed", unattended, results: [] });
    await ready(world);
    world.emit("evt_1");
    if (continued) await until("the ack", () => acked(world.core).length === 1);
    else await until("it to wait", () => world.bridge.status().pending[0]?.state === "conversation_closed");
    expect(world.pushes.resumed).toHaveLength(continued ? 1 : 0);
    expect(world.pushes.delivered).toEqual([]);
  });
});

describe("a bridge that ended in the middle of a delivery", () => {
  async function interrupted(found: "seen" | "queued" | "unknown"): Promise<{ world: World; again: Bridge; pushes: Pushes }> {
    const world = await setup({ deliver: () => new Promise(() => undefined) });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("the push", () => world.pushes.delivered.length === 1);
    await world.bridge.close();
    const pushes: Pushes = { delivered: [], resumed: [], states: [] };
    const programs = [pushedProgram({ confirm: () => Promise.resolve(found) }, pushes)];
    const again = openBridge({ home: bridgeHome(world.folder), programs, leaseMs: 400 });
    return { world, again, pushes };
  }

  test("finds that a turn shows the wake, acks it and doesn't show it again", async () => {
    const { world, again, pushes } = await interrupted("seen");
    await until("the ack", () => acked(world.core).length === 1);
    expect([acked(world.core), pushes.delivered, again.status().pending]).toEqual([["evt_1 seen"], [], []]);
  });

  test("offers the wake again when no turn shows it within the lease", async () => {
    const { world, pushes } = await interrupted("unknown");
    await until("the push", () => pushes.delivered.length === 1);
    await until("the ack", () => acked(world.core).includes("evt_1 handed"));
  });

  test("leaves it alone for as long as the program says that it is queued", async () => {
    const { again, pushes } = await interrupted("queued");
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(pushes.delivered).toEqual([]);
    expect(again.status().pending).toMatchObject([{ occurrence: "evt_1", state: "leased" }]);
  });
});

describe("what a core offers again", () => {
  test("isn't shown again after it was handed, but acked again", async () => {
    const world = await setup();
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("the ack", () => acked(world.core).length === 1);
    world.emit("evt_1");
    await until("the second ack", () => acked(world.core).length === 2);
    await world.bridge.close();
    const pushes: Pushes = { delivered: [], resumed: [], states: [] };
    openBridge({ home: bridgeHome(world.folder), programs: [pushedProgram({}, pushes)], leaseMs: 400 });
    await until("the new stream", () => world.core.streams.length === 2);
    world.emit("evt_1");
    await until("the third ack", () => acked(world.core).length === 3);
    expect([world.pushes.delivered.length, pushes.delivered.length]).toEqual([1, 0]);
  });

  test("isn't shown twice while it is pending", async () => {
    const world = await setup({ isOpen: () => false });
    await world.report();
    await ready(world);
    for (let count = 0; count < 5; count += 1) world.emit("evt_1");
    world.emit("evt_2");
    await until("both", () => world.bridge.status().pending.length === 2);
    expect(world.bridge.status().pending.map((wake) => wake.occurrence)).toEqual(["evt_1", "evt_2"]);
  });

  test("for a subscription this machine doesn't have is left alone", async () => {
    const world = await setup();
    await world.report();
    await ready(world);
    world.core.streams[0]?.send("wake", wakeOf(formatSecret("ticket", randomBytes(32)), "sub_other", "evt_other"));
    world.emit("evt_1");
    await until("the ack", () => acked(world.core).length === 1);
    expect(world.pushes.delivered.map((wake) => wake.occurrences)).toEqual([["evt_1"]]);
  });
});

describe("a newer ticket of the same conversation", () => {
  /** One app's subscription, and another ticket that claims whatever the test says while the core says what it says. */
  async function twoTickets(
    claims: Partial<SubscriptionMetaEntry>,
    facts: Partial<LiveTicket> | undefined,
  ): Promise<World & { readonly second: SubscriptionMetaEntry }> {
    const issued = new Map<string, LiveTicket>();
    const world = await setup({}, (stream) => {
      const live = stream.tickets.flatMap((ticket) => issued.get(ticket) ?? []);
      stream.send("ready", { tickets: stream.tickets.length, ping_ms: 20_000, live });
    });
    issued.set(world.ticket, confirmation(world.entry));
    await world.report();
    await ready(world);
    world.emit("evt_0");
    await until("the first ack", () => acked(world.core).length === 1);
    const second: SubscriptionMetaEntry = { ...world.entry, ticket: formatSecret("ticket", randomBytes(32)), id: "sub_2", ...claims };
    if (facts !== undefined) issued.set(second.ticket, { ...confirmation(second), ...facts });
    await world.report({ results: resultsOf(second) });
    await until("both streams", () => world.core.streams.length > 1);
    return { ...world, second };
  }

  const idsOf = (world: World): string[] => world.bridge.subscriptions().subscriptions.map((one) => one.id);
  const endings = (world: World): string[] =>
    world.core.posts.filter((post) => post.path.endsWith("/end")).flatMap((post) => post.body.tickets ?? []);

  test("ends the older one once the core says that both are for the same", async () => {
    const world = await twoTickets({}, {});
    await until("the older one's end", () => endings(world).length === 1);
    expect([endings(world), idsOf(world)]).toEqual([[world.ticket], ["sub_2"]]);
  });

  test.each([
    ["another app's ticket", {}, { app: { id: "app_2", name: "B" } }],
    ["another event's", {}, { event: "a.c" }],
    ["other arguments'", {}, { arguments: { x: 1 } }],
    ["another subscription's", { id: "sub_1" }, { subscription: "sub_2" }],
  ])("that is really %s is ended itself, and the older one goes on", async (_what, claims, facts) => {
    const world = await twoTickets(claims, facts);
    await until("its end", () => endings(world).length === 1);
    expect([endings(world), idsOf(world)]).toEqual([[world.second.ticket], ["sub_1"]]);
    world.core.streams[0]?.send("wake", wakeOf(world.ticket, world.id, "evt_1"));
    await until("the ack", () => acked(world.core).length === 2);
    expect(world.pushes.delivered.map((wake) => wake.occurrences)).toEqual([["evt_0"], ["evt_1"]]);
  });

  test("of a core that says nothing of it ends no other", async () => {
    const world = await twoTickets({}, undefined);
    world.core.streams.at(-1)?.send("wake", wakeOf(world.second.ticket, "sub_2", "evt_1"));
    world.core.streams[0]?.send("wake", wakeOf(world.ticket, world.id, "evt_2"));
    await until("both acks", () => acked(world.core).length === 3);
    expect(endings(world)).toEqual([]);
  });

  test("that turns out to have ended leaves the older one in its place", async () => {
    const world = await twoTickets({}, undefined);
    expect(idsOf(world)).toEqual(["sub_2"]);
    world.core.streams.at(-1)?.send("ended", { ticket_id: ticketIdOf(world.second.ticket), subscription: "sub_2", reason: "expired" });
    await until("the older one", () => idsOf(world)[0] === "sub_1");
  });
});

describe("a result that names a core", () => {
  test("whose host a shell would read as a command is refused, and no notice or status shows it", async () => {
    const world = await setup();
    const core = "https://a;{touch,x};b.example";
    const answer = await world.bridge.report({ ...reportOf({ ...world.entry, core }), can_notice: true });
    expect(answer).toEqual({ accepted: 0, refused: 1, waiting: [], live: 0 });
    expect(world.bridge.status().waiting_for_answer).toEqual([]);
    await expect(world.bridge.allow({ origin: core })).rejects.toMatchObject({ code: "bad_request" });
  });

  test("that waits for an answer is shown in a notice with both commands", async () => {
    const world = await setup();
    const answer = await world.bridge.report({ ...reportOf({ ...world.entry, core: "https://[2001:db8::1]" }), can_notice: true });
    expect(answer.notice).toContain("npx wakeshift allow 'https://[2001:db8::1]' (or: npx wakeshift deny 'https://[2001:db8::1]')");
  });
});

describe("a denied core", () => {
  const refusing = (world: World): boolean => world.core.attempts.some((path) => path.endsWith("/ack"));

  /** A core that takes no ack, with one wake handed over. */
  async function withUnsentAck(): Promise<World> {
    const world = await setup({}, sayReady, (request, response) => {
      if (request.url?.endsWith("/stream") !== false) return false;
      response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"storage_full","message":"full"}}');
      return true;
    });
    await world.report();
    await ready(world);
    world.emit("evt_1");
    await until("an attempt to ack", () => refusing(world));
    return world;
  }

  test.each([
    ["as a whole", {}],
    ["for this app", { app: "app_1" }],
  ])("%s is contacted by nothing any more, not by what was queued for it either", async (_what, rule) => {
    const world = await withUnsentAck();
    expect(world.bridge.status().unsent_acks).toBe(1);
    await world.bridge.deny({ origin: world.core.url, ...rule });
    // What was handed is told to the core once it may be contacted again.
    expect(world.bridge.status().unsent_acks).toBe(1);
    await until("the stream's end", () => world.core.streams.every((stream) => stream.isClosed()));
    const before = world.core.attempts.length;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(world.core.attempts.slice(before)).toEqual([]);
  });

  test("is left alone by a sender that waits for its next attempt, before the messages are off the disk", async () => {
    const world = await withUnsentAck();
    const denied = world.bridge.deny({ origin: world.core.url });
    const before = world.core.attempts.length;
    await denied;
    await world.bridge.report({ program: "codex", conversation: "c", lifecycle: "idle", unattended: false, results: [] });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(world.core.attempts.slice(before)).toEqual([]);
  });

  test("is told of what was handed, once one of its apps is allowed again", async () => {
    const world = await withUnsentAck();
    await world.bridge.deny({ origin: world.core.url });
    await world.bridge.allow({ origin: world.core.url, app: "app_1" });
    const before = world.core.attempts.length;
    await until("a further attempt to ack", () => world.core.attempts.slice(before).some((path) => path.endsWith("/ack")));
  });
});

describe("a core that floods", () => {
  test("gets no more than 500 wakes kept for a conversation, and a denial lets go of all of them, which its core still has", async () => {
    const world = await setup({ isOpen: () => false });
    await world.report();
    await ready(world);
    for (let count = 0; count < 1_300; count += 1) world.emit(`evt_${count}`);
    world.core.streams[0]?.send("ended", { ticket_id: "0".repeat(16), reason: "unknown" });
    await until("the bound", () => readdirSync(join(world.folder, "occurrences")).length >= 500);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(world.bridge.status().pending).toHaveLength(500);
    expect(readdirSync(join(world.folder, "occurrences"))).toHaveLength(500);
    await world.bridge.deny({ origin: world.core.url });
    expect(world.bridge.status().pending).toEqual([]);
    expect(readdirSync(join(world.folder, "occurrences"))).toEqual([]);
  });

  test("and is denied while its wakes are being written leaves none behind", async () => {
    const world = await setup({ isOpen: () => false });
    await world.report();
    await ready(world);
    for (let count = 0; count < 200; count += 1) world.emit(`evt_${count}`);
    await until("the first file", () => readdirSync(join(world.folder, "occurrences")).length > 0);
    await world.bridge.deny({ origin: world.core.url });
    await until("an empty folder", () => readdirSync(join(world.folder, "occurrences")).length === 0);
    expect(world.bridge.status()).toMatchObject({ pending: [], subscriptions: 1, muted: [{ subscriptions: 1 }] });
  });

  test("keeps the wakes of another app that stays allowed", async () => {
    const world = await setup({ isOpen: () => false });
    await world.report();
    const other: SubscriptionMetaEntry = {
      ...world.entry,
      ticket: formatSecret("ticket", randomBytes(32)),
      id: "sub_2",
      app: { id: "app_2", name: "B" },
    };
    await world.report({ results: resultsOf(other) });
    await until("both lines", () => world.core.streams.length === 2);
    world.core.streams[0]?.send("wake", wakeOf(world.ticket, world.id, "evt_1"));
    world.core.streams[1]?.send("wake", { ...wakeOf(other.ticket, other.id, "evt_1"), app: other.app });
    await until("both wakes", () => world.bridge.status().pending.length === 2);
    await world.bridge.deny({ origin: world.core.url, app: "app_1" });
    expect(world.bridge.status().pending.map((wake) => wake.subscription)).toEqual(["sub_2"]);
    expect(readdirSync(join(world.folder, "occurrences"))).toHaveLength(1);
  });
});
