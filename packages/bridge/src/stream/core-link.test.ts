import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { formatSecret } from "@wakeshift/protocol";
import type { Ended, Wake } from "@wakeshift/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ticket } from "../state/ticket-book.ts";
import { ticketIdOf } from "../state/ticket-book.ts";
import { CoreHttp } from "./core-http.ts";
import { CoreLink } from "./core-link.ts";
import { startScriptedCore, until } from "./scripted-core.test.support.ts";
import type { ScriptedCore } from "./scripted-core.test.support.ts";

function makeTicket(base: string): Ticket {
  const ticket = formatSecret("ticket", randomBytes(32));
  const id = `sub_${randomBytes(16).toString("hex")}`;
  const expiresAt = Date.now() + 3_600_000;
  return {
    base,
    origin: base,
    ticket,
    ticketId: ticketIdOf(ticket),
    id,
    app: { id: "app_1", name: "A" },
    event: "a.b",
    arguments: {},
    once: false,
    expiresAt,
    program: "cursor",
    conversation: "c",
  };
}

interface LinkWorld {
  readonly link: CoreLink;
  readonly wanted: Ticket[];
  readonly wakes: Wake[];
  readonly ended: Ended[];
  readonly gaps: string[];
  readonly ready: Ticket[];
  readonly said: string[];
}

function linkTo(core: ScriptedCore | string, count: number, taking?: (wake: Wake) => Promise<void>): LinkWorld {
  const base = typeof core === "string" ? core : core.url;
  const wanted = Array.from({ length: count }, () => makeTicket(base));
  const world = { wanted, wakes: [] as Wake[], ended: [] as Ended[], gaps: [] as string[], ready: [] as Ticket[], said: [] as string[] };
  const http = new CoreHttp(() => undefined);
  const link = new CoreLink({
    base,
    holder: "holder",
    http,
    random: () => 0,
    longestPauseMs: 400,
    wanted: () => wanted,
    events: {
      ready: (tickets) => world.ready.push(...tickets),
      wake: async (wake) => {
        world.wakes.push(wake);
        await taking?.(wake);
      },
      ended: (ended) => world.ended.push(ended),
      gap: (subscription) => world.gaps.push(subscription),
      stranded: () => undefined,
      unusable: () => undefined,
      changed: (detail) => world.said.push(detail),
      switched: () => undefined,
    },
  });
  onTestFinished(async () => {
    link.close();
    await http.close();
  });
  link.refresh();
  return { link, ...world };
}

const READY = { tickets: 1, ping_ms: 20_000 };

function wakeOf(ticket: Ticket, changes: Partial<Wake> = {}): Wake {
  return {
    subscription: ticket.id,
    ticket_id: ticket.ticketId,
    occurrence: "evt_1",
    seq: 1,
    event: "a.b",
    app: { id: "app_1", name: "A" },
    arguments: {},
    text: "text",
    payload: {},
    timestamp: new Date(0).toISOString(),
    once: false,
    lease_ms: 30_000,
    ...changes,
  };
}

describe("the streams of one core", () => {
  test("carry a wake whole when the network cuts it into single bytes (PC-35)", async () => {
    const hostile =
      "one\rtwo\r\nevent: ended\r\ndata: {}\r\n\r\nthree\u2028four\u2029five\u0085six \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u0000";
    const expected: Wake[] = [];
    const core = await startScriptedCore((stream) => {
      const event = `event: ready\ndata: ${JSON.stringify(READY)}\n\nevent: wake\ndata: ${JSON.stringify(expected[0])}\n\n`;
      for (const byte of Buffer.from(event)) stream.response.write(Buffer.from([byte]));
    });
    const ticket = makeTicket(core.url);
    expected.push(wakeOf(ticket, { text: hostile, payload: { [hostile]: hostile } }));
    const world = linkTo(core, 0);
    world.wanted.push(ticket);
    world.link.refresh();
    await until("the wake", () => world.wakes.length > 0);
    expect(world.wakes).toEqual(expected);
    expect(world.ended).toEqual([]);
  });

  test("take CRLF line ends, comments, events of other names and events that aren't well formed", async () => {
    const core = await startScriptedCore((stream) => {
      stream.response.write(
        `: hello\r\nevent: ready\r\ndata: ${JSON.stringify(READY)}\r\n\r\nevent: future\ndata: {"x":1}\n\ndata: nameless\n\nevent: wake\ndata: {\n\nevent: wake\ndata: {"subscription":7}\n\n`,
      );
      stream.send("gap", { subscription: "sub_1", ticket_id: "0".repeat(16) });
      stream.send("ended", { ticket_id: "0".repeat(16), reason: "some_future_reason" });
    });
    const world = linkTo(core, 1);
    await until("the ending", () => world.ended.length > 0);
    expect(world).toMatchObject({ wakes: [], gaps: ["sub_1"], ended: [{ reason: "ended" }] });
    expect(world.link.readyLines).toBe(1);
  });

  test("a core that sends faster than wakes are kept is read no faster than that", async () => {
    const total = 300;
    let written = 0;
    const tickets: Ticket[] = [];
    const core = await startScriptedCore((stream) => {
      const big = { payload: "x".repeat(60_000) };
      stream.send("ready", READY);
      for (const ticket of tickets)
        for (; written < total; written += 1) stream.send("wake", wakeOf(ticket, { occurrence: `evt_${written}`, ...big }));
    });
    const releases: (() => void)[] = [];
    let isFree = false;
    const world = linkTo(core, 0, () => (isFree ? Promise.resolve() : new Promise((resolve) => releases.push(resolve))));
    tickets.push(makeTicket(core.url));
    world.wanted.push(...tickets);
    world.link.refresh();
    await until("the first wakes", () => world.wakes.length > 0 && written === total);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(world.wakes.length).toBeLessThan(20);
    isFree = true;
    for (const release of releases) release();
    await until("all of them", () => world.wakes.length === total);
    expect(world.wakes.map((wake) => wake.occurrence)).toEqual(Array.from({ length: total }, (_, n) => `evt_${n}`));
  });

  test("a new ticket gets a side line, and the next reconnect makes them one", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", READY));
    const world = linkTo(core, 2);
    await until("the first line", () => world.ready.length === 2);
    world.wanted.push(makeTicket(core.url));
    world.link.refresh();
    await until("the side line", () => world.ready.length === 3);
    expect(core.streams.map((stream) => stream.tickets.length)).toEqual([2, 1]);
    expect(core.streams.some((stream) => stream.isClosed())).toBe(false);
    core.streams[0]?.response.end();
    await until("one line", () => core.streams.length === 3 && core.streams[1]?.isClosed() === true);
    expect(new Set(core.streams[2]?.tickets)).toEqual(new Set(world.wanted.map((ticket) => ticket.ticket)));
    expect(world.link.readyLines).toBe(1);
  });

  test("a ticket that ended and is reported again is asked about again, beside the line that runs", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", READY));
    const world = linkTo(core, 2);
    await until("the line", () => world.ready.length === 2);
    const [first] = world.wanted.splice(0, 1);
    if (first === undefined) throw new Error("no ticket");
    core.streams[0]?.send("ended", { ticket_id: first.ticketId, subscription: first.id, reason: "expired" });
    await until("the ending", () => world.ended.length === 1);
    world.wanted.push(first);
    world.link.refresh();
    await until("a second line", () => core.streams.length === 2);
    expect(core.streams[1]?.tickets).toEqual([first.ticket]);
    expect(core.streams[0]?.isClosed()).toBe(false);
  });

  test("many new tickets one after another don't become many lines", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", READY));
    const world = linkTo(core, 1);
    for (let count = 2; count <= 20; count += 1) {
      await until("the ticket before", () => new Set(world.ready).size === count - 1);
      world.wanted.push(makeTicket(core.url));
      world.link.refresh();
    }
    await until("all to be live", () => new Set(world.ready).size === 20);
    await until("the surplus to close", () => core.streams.filter((stream) => !stream.isClosed()).length <= 5);
  });

  test("more than 500 tickets go on several streams, none above 500", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", READY));
    const world = linkTo(core, 1_100);
    await until("all to be live", () => world.ready.length === 1_100);
    expect(core.streams.map((stream) => stream.tickets.length)).toEqual([500, 500, 100]);
  });

  test("a core that falls silent for two and a half pings is left and asked again", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", { tickets: 1, ping_ms: 100 }));
    const world = linkTo(core, 1);
    await until("a second stream", () => core.streams.length >= 2);
    expect(core.streams[0]?.isClosed()).toBe(true);
    await until("it to be said", () => world.said.some((detail) => detail.includes("no sign of life")));
  });

  test("pings keep a quiet stream open", async () => {
    let pings = 0;
    const core = await startScriptedCore((stream) => {
      stream.send("ready", { tickets: 1, ping_ms: 800 });
      const timer = setInterval(() => {
        stream.send("ping", {});
        pings += 1;
      }, 50);
      stream.response.on("close", () => clearInterval(timer));
    });
    linkTo(core, 1);
    // Twice the silence after which it would be left.
    await until("many pings", () => pings > 80);
    expect(core.streams).toHaveLength(1);
  });

  test("a core that says when to come back is asked then, not before", async () => {
    const opened: number[] = [];
    const core = await startScriptedCore((stream, place) => {
      opened.push(performance.now());
      stream.send("ready", READY);
      if (place > 0) return;
      stream.send("retry", { retry_ms: 900 });
      stream.response.end();
    });
    linkTo(core, 1);
    await until("the second stream", () => core.streams.length === 2);
    expect((opened[1] ?? 0) - (opened[0] ?? 0)).toBeGreaterThanOrEqual(880);
  });

  test("a stream that ends since none of its tickets is live isn't opened again for them", async () => {
    const core = await startScriptedCore((stream, place) => {
      if (place > 0) return void stream.send("ready", READY);
      const [ended] = world.wanted.splice(0);
      stream.send("ended", { ticket_id: ended?.ticketId, reason: "unknown" });
      stream.send("retry", { retry_ms: 1 });
      stream.response.end();
    });
    const world = linkTo(core, 1);
    await until("the end", () => world.ended.length === 1);
    await until("it to close", () => core.streams[0]?.isClosed() === true);
    const another = makeTicket(core.url);
    world.wanted.push(another);
    world.link.refresh();
    await until("the line of the new ticket", () => world.link.readyLines === 1);
    expect(core.streams.map(({ tickets }) => tickets.length)).toEqual([1, 1]);
    expect(core.streams[1]?.tickets).toEqual([another.ticket]);
  });

  test("a core that ends each stream without being ready is asked no sooner than it says, and ever more patiently", async () => {
    const opened: number[] = [];
    const core = await startScriptedCore((stream) => {
      opened.push(performance.now());
      stream.send("retry", { retry_ms: 100 });
      stream.response.end();
    });
    linkTo(core, 1);
    await until("seven streams", () => opened.length === 7);
    const pauses = opened.slice(1).map((at, place) => at - (opened[place] ?? 0));
    for (const pause of pauses.slice(0, 3)) expect(pause).toBeGreaterThanOrEqual(95);
    for (const pause of pauses.slice(3)) expect(pause).toBeGreaterThanOrEqual(195);
  });

  test.each([
    ["HTML", (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["a redirect", (response: ServerResponse) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["502 without JSON", (response: ServerResponse) => response.writeHead(502).end("bad gateway")],
    ["a cut connection", (response: ServerResponse) => response.destroy()],
    [
      "a code of the table",
      (response: ServerResponse) =>
        response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"storage_full","message":"full"}}'),
    ],
  ])("%s for an answer is said, and asked again until it works", async (_what, refuse) => {
    let refusals = 0;
    const core = await startScriptedCore(
      (stream) => stream.send("ready", READY),
      (_request, response) => {
        if (refusals >= 2) return false;
        refusals += 1;
        refuse(response);
        return true;
      },
    );
    const world = linkTo(core, 1);
    await until("the line", () => world.link.readyLines === 1);
    expect(world.said.length).toBeGreaterThanOrEqual(2);
    expect(world.said.at(-1)).toBe("");
  });

  test("a proxy that can't reach the core is told from a wrong address", async () => {
    const core = await startScriptedCore(
      () => undefined,
      (_request, response) => (response.writeHead(502, { "content-type": "text/html" }).end("<html>"), true),
    );
    const world = linkTo(core, 1);
    await until("the refusal", () => world.said.length > 0);
    expect(world.said[0]).toContain("A proxy in front of the core at");
    expect(world.said[0]).toContain("responded with status 502");
  });

  test("nobody listening is no end: the link connects when somebody does", async () => {
    const gone = await startScriptedCore(() => undefined);
    const world = linkTo("http://127.0.0.1:9", 1);
    await until("the failure", () => world.said.some((detail) => detail.includes("can't be reached")));
    expect(gone.streams).toEqual([]);
    expect(world.link.readyLines).toBe(0);
  });

  test("an event of more than 4 MiB ends the line, not the bridge", async () => {
    const core = await startScriptedCore((stream, place) => {
      stream.send("ready", READY);
      if (place === 0) stream.response.write(`event: wake\ndata: ${"x".repeat(5_000_000)}`);
    });
    linkTo(core, 1);
    await until("another line", () => core.streams.length >= 2);
  });

  test("lines whose tickets have all ended are closed", async () => {
    const core = await startScriptedCore((stream) => stream.send("ready", READY));
    const world = linkTo(core, 1);
    await until("the line", () => world.link.readyLines === 1);
    world.wanted.length = 0;
    world.link.trim();
    await until("it to close", () => core.streams[0]?.isClosed() === true);
    expect(core.streams).toHaveLength(1);
  });
});
