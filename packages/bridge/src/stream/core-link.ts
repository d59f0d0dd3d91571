import { LIMITS } from "@wakeshift/protocol";
import type { Ended, LiveTicket, Stranded, Wake } from "@wakeshift/protocol";
import type { Ticket } from "../state/ticket-book.ts";
import type { Answering } from "./answering.ts";
import { isOfCore } from "./answering.ts";
import { backOff } from "./back-off.ts";
import type { CoreHttp } from "./core-http.ts";
import type { Line, LineEnd } from "./line.ts";
import { PollLine } from "./poll-line.ts";
import type { Way, WayTimes } from "./stream-or-poll.ts";
import { DEFAULT_WAY_TIMES, chooseWay, countWithheld } from "./stream-or-poll.ts";
import { WakeLine } from "./wake-line.ts";

/** What a link tells the bridge. */
export interface LinkEvents {
  /** These tickets are live at the core now. `confirmed`: what the core says they are for, of those it says anything of. */
  readonly ready: (tickets: readonly Ticket[], confirmed: readonly LiveTicket[], coreId: string | undefined) => void;
  /** Waited for before more is read. Must not reject. */
  readonly wake: (wake: Wake) => Promise<void>;
  readonly ended: (ended: Ended) => void;
  readonly gap: (subscription: string) => void;
  /** A subscription is matched by no emit any more, or may be matched again. */
  readonly stranded: (stranded: Stranded) => void;
  /** A wake was left at its core, for this reason. */
  readonly unusable: (detail: string) => void;
  /** The link lost its connection, or got it back (`""`). */
  readonly changed: (detail: string) => void;
  /** From now on wakes come by this way. It begins with `stream`. */
  readonly switched: (way: Way) => void;
}

export interface LinkOptions {
  readonly base: string;
  /** What this core is shown as `holder`. */
  readonly holder: string;
  readonly http: CoreHttp;
  readonly events: LinkEvents;
  /** The tickets to receive for, asked whenever lines are opened. */
  readonly wanted: () => readonly Ticket[];
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Longest pause between attempts, in milliseconds. */
  readonly longestPauseMs: number;
  readonly times?: WayTimes;
}

const FIRST_PAUSE_MS = 250;
/** A core that asks more often in a row to come back, without ever being ready, is taken as failing. */
const ASKED_IN_A_ROW = 3;
/** With more side lines than this, new tickets make them one line at once. */
const MOST_SIDE_LINES = 3;
/** Lines with at most so many tickets are merged whenever others are. */
const SMALL_LINE = 250;

interface OpenLine {
  readonly line: Line;
  /** Opened for new tickets beside a line that runs; merged with it at the next reconnect. */
  readonly side: boolean;
  /** Lines whose tickets this one took over: closed once it is ready. */
  readonly replaces: readonly OpenLine[];
}

/**
 * Holds the event streams with one core: one line for all tickets (several above 500), side lines for new ones, back-off
 * while the core is away. Where streams are held back on the way, it polls, and tries to stream from time to time. It never
 * gives up.
 */
export class CoreLink {
  readonly #options: LinkOptions;
  readonly #lines = new Set<OpenLine>();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Streams in a row that were held back. */
  #withheld = 0;
  #streamAgain: NodeJS.Timeout | undefined;
  #closed = false;
  #detail = "connecting";
  /** What answered last. */
  #answering: Answering | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Why there is no connection, "" while there is one. */
  get detail(): string {
    return this.#detail;
  }

  get answering(): Answering | undefined {
    return [...this.#lines].find((open) => open.line.isReady)?.line.answering ?? this.#answering;
  }

  /** Tickets that what answers isn't sent, since it isn't, or can't prove to be, their core. */
  held(): readonly Ticket[] {
    const { answering } = this;
    return answering === undefined ? [] : this.#options.wanted().filter((ticket) => !isOfCore(ticket, answering));
  }

  /** How wakes come now; `undefined` without a connection. */
  get way(): Way | undefined {
    const ready = [...this.#lines].filter((open) => open.line.isReady);
    return ready.find((open) => open.line.way === "poll")?.line.way ?? ready[0]?.line.way;
  }

  get readyStreams(): number {
    return [...this.#lines].filter((open) => open.line.isReady && open.line.way === "stream").length;
  }

  get readyLines(): number {
    return [...this.#lines].filter((open) => open.line.isReady).length;
  }

  /** To be called when tickets were added. A new ticket shows that its core is there, so a pause ends. */
  refresh(): void {
    if (this.#closed) return;
    const sides = [...this.#lines].filter((open) => open.side).length;
    this.#cover(this.#lines.size === 0 || sides >= MOST_SIDE_LINES);
  }

  /** To be called when tickets have ended: lines that carry none any more are closed. */
  trim(): void {
    const wanted = new Set(this.#options.wanted().map((ticket) => ticket.ticketId));
    for (const open of this.#lines) {
      if (!open.line.tickets.some((ticket) => wanted.has(ticket.ticketId))) open.line.close();
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#streamAgain);
    for (const open of this.#lines) open.line.close();
  }

  /** Opens lines for every wanted ticket that is on none. `merge`: together with those of side lines and small ones. */
  #cover(merge: boolean): void {
    const covered = new Set([...this.#lines].flatMap((open) => open.line.tickets.map((ticket) => ticket.ticketId)));
    const wanted = this.#wanted();
    const missing = wanted.filter((ticket) => !covered.has(ticket.ticketId));
    if (missing.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sides = merge ? [...this.#lines].filter((open) => open.side || open.line.tickets.length <= SMALL_LINE) : [];
    const onSides = new Set(sides.flatMap((open) => open.line.tickets.map((ticket) => ticket.ticketId)));
    const tickets = [...missing, ...wanted.filter((ticket) => onSides.has(ticket.ticketId))];
    for (let start = 0; start < tickets.length; start += LIMITS.ticketsPerStream) {
      const last = start + LIMITS.ticketsPerStream >= tickets.length;
      const line = this.#newLine(chooseWay(this.#withheld), tickets.slice(start, start + LIMITS.ticketsPerStream));
      this.#open({ line, side: !merge, replaces: last ? sides : [] });
    }
  }

  #newLine(way: Way, tickets: readonly Ticket[]): Line {
    return way === "poll" ? new PollLine(tickets) : new WakeLine(tickets, this.#times.readyMs);
  }

  get #times(): WayTimes {
    return this.#options.times ?? DEFAULT_WAY_TIMES;
  }

  /** Opens a stream beside each line that polls, which goes on until the stream is ready. */
  #tryStreams(): void {
    const replaced = new Set([...this.#lines].flatMap((open) => open.replaces));
    for (const open of [...this.#lines].filter((one) => one.line.way === "poll" && !replaced.has(one)))
      this.#open({ line: this.#newLine("stream", open.line.tickets), side: open.side, replaces: [open] });
  }

  #judge(withheld: number): void {
    const [before, now] = [chooseWay(this.#withheld), chooseWay(withheld)];
    this.#withheld = withheld;
    if (now !== before) this.#options.events.switched(now);
    clearInterval(this.#streamAgain);
    if (now === "poll") this.#streamAgain = setInterval(() => this.#tryStreams(), this.#times.streamAgainMs);
    else if (before === "poll") this.#tryStreams();
  }

  /** What can be received now. While a core streams, tickets of another one at its address would only be refused. */
  #wanted(): readonly Ticket[] {
    const streaming = [...this.#lines].find((open) => open.line.isReady)?.line.answering;
    const wanted = this.#options.wanted();
    return streaming === undefined ? wanted : wanted.filter((ticket) => isOfCore(ticket, streaming));
  }

  #open(open: OpenLine): void {
    const { base, holder, http, events } = this.#options;
    this.#lines.add(open);
    const ready = (confirmed: readonly LiveTicket[]): void => {
      this.#failures = 0;
      for (const replaced of open.replaces) replaced.line.close();
      this.#tell("");
      const { answering } = open.line;
      events.ready(open.line.tickets, confirmed, answering?.kind === "core" ? answering.id : undefined);
    };
    void open.line.run(http, base, holder, { ...events, ready, flowing: () => this.#judge(0) }).then((end) => {
      this.#lines.delete(open);
      if (!this.#closed) this.#after(end);
    });
  }

  #after(end: LineEnd): void {
    const { random, longestPauseMs } = this.#options;
    this.#answering = end.answering;
    if (end.fate === "withheld") this.#judge(countWithheld(this.#withheld, end.fate));
    const covered = new Set([...this.#lines].flatMap((open) => open.line.tickets.map((ticket) => ticket.ticketId)));
    // A replaced side line, or one whose tickets have all ended, needs nothing more.
    if (this.#wanted().every((ticket) => covered.has(ticket.ticketId))) return;
    this.#failures += 1;
    const patience = backOff(this.#failures, random(), { firstMs: FIRST_PAUSE_MS, longestMs: longestPauseMs });
    const pause = end.comeBackMs === undefined ? patience : Math.max(end.comeBackMs, this.#failures > ASKED_IN_A_ROW ? patience : 0);
    if (this.readyLines === 0) this.#tell(end.detail);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#cover(true);
    }, pause);
  }

  #tell(detail: string): void {
    if (detail === this.#detail) return;
    this.#detail = detail;
    this.#options.events.changed(detail);
  }
}
