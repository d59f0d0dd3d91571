import { createParser } from "eventsource-parser";
import type { Ended, LiveTicket, StreamRequest, Wake } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import type { Ticket } from "../state/ticket-book.ts";
import { UnprovenCore } from "./core-channel.ts";
import { CoreRefusal } from "./core-exchange.ts";
import type { CoreChannel, CoreHttp } from "./core-http.ts";
import type { Answering } from "./answering.ts";
import { isOfCore } from "./answering.ts";
import { clampRetry, readStreamEvent } from "./stream-event.ts";

/** Why a line is over, and when the core wants to be asked again, where it said so. */
export interface LineEnd {
  /** Milliseconds, as the core said; `undefined`: it said nothing. */
  readonly comeBackMs: number | undefined;
  readonly detail: string;
  /** What answered at the address, if anything did. */
  readonly answering: Answering | undefined;
}

export interface LineEvents {
  /** `confirmed`: what the core says of each ticket. */
  readonly ready: (confirmed: readonly LiveTicket[]) => void;
  /** What it answers is waited for before more is read: a core can't send faster than wakes are kept. It must not reject. */
  readonly wake: (wake: Wake) => Promise<void>;
  readonly ended: (ended: Ended) => void;
  readonly gap: (subscription: string) => void;
  /** A wake was left at its core, for this reason. */
  readonly unusable: (detail: string) => void;
}

/** Silence of so many times the promised ping interval means that the connection is gone. */
const SILENT_PINGS = 2.5;
const EVENT_CHARACTERS = 4_194_304;

/** One event stream with one core. It lives once: who wants another opens another. */
export class WakeLine {
  #tickets: readonly Ticket[];
  readonly #abort = new AbortController();
  #isReady = false;
  #comeBackMs: number | undefined;
  #answering: Answering | undefined;
  #pingMs: number = LIMITS.pingMs;
  #watchdog: NodeJS.Timeout | undefined;
  #silent = false;

  constructor(tickets: readonly Ticket[]) {
    this.#tickets = tickets;
  }

  /** What it receives for. A ticket the core has ended is on no line any more, so that one reported again is asked about again. */
  get tickets(): readonly Ticket[] {
    return this.#tickets;
  }

  /** What answered, as soon as it is known. */
  get answering(): Answering | undefined {
    return this.#answering;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Runs until the line is over. Sends the tickets of the core that answers, and no others. Never rejects. */
  async run(http: CoreHttp, base: string, holder: string, events: LineEvents): Promise<LineEnd> {
    let channel: CoreChannel | undefined;
    try {
      this.#watch();
      channel = await http.open(base, this.#abort.signal);
      const answering = { kind: "core", id: channel.coreId } as const;
      this.#answering = answering;
      this.#tickets = this.#tickets.filter((ticket) => isOfCore(ticket, answering));
      if (this.#tickets.length === 0) return this.#end(undefined, "another core answers at this address");
      const body: StreamRequest = { holder, tickets: this.#tickets.map((ticket) => ticket.ticket) };
      await this.#read(await channel.exchange.stream("/stream", body, this.#abort.signal), events);
      return this.#end(undefined, "the core closed the stream");
    } catch (error) {
      if (error instanceof UnprovenCore) this.#answering = { kind: "unproven" };
      const detail = this.#silent ? `no sign of life for ${Math.round(this.#pingMs * SILENT_PINGS)} ms` : sentence(error);
      const asked = error instanceof CoreRefusal ? error.retryAfterMs : undefined;
      return this.#end(asked, detail);
    } finally {
      this.#isReady = false;
      clearTimeout(this.#watchdog);
      this.#abort.abort();
      channel?.close();
    }
  }

  #end(askedMs: number | undefined, detail: string): LineEnd {
    return { comeBackMs: this.#comeBackMs ?? askedMs, detail, answering: this.#answering };
  }

  async #read(chunks: AsyncIterable<Buffer>, events: LineEvents): Promise<void> {
    const decoder = new TextDecoder();
    let broken: string | undefined;
    let underWay: Promise<void>[] = [];
    const parser = createParser({
      maxBufferSize: EVENT_CHARACTERS,
      onEvent: (message) => {
        const taken = this.#take(message.event, message.data, events);
        if (taken !== undefined) underWay.push(taken);
      },
      onRetry: (milliseconds) => (this.#comeBackMs = clampRetry(milliseconds)),
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") broken = "the core sent an event of more than 4 MiB";
      },
    });
    for await (const chunk of chunks) {
      this.#watch();
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (broken !== undefined) throw new WakeshiftError("bad_response", broken);
      // Time spent here is ours, not the core's silence.
      clearTimeout(this.#watchdog);
      await Promise.all(underWay);
      underWay = [];
      this.#watch();
    }
  }

  #take(name: string | undefined, data: string, events: LineEvents): Promise<void> | undefined {
    const event = readStreamEvent(name, data);
    switch (event.kind) {
      case "ready":
        this.#pingMs = event.ready.ping_ms;
        this.#isReady = true;
        this.#watch();
        events.ready(event.ready.live ?? []);
        break;
      case "wake":
        return events.wake(event.wake);
      case "ended":
        this.#tickets = this.#tickets.filter((ticket) => ticket.ticketId !== event.ended.ticket_id);
        events.ended(event.ended);
        break;
      case "unusable":
        events.unusable(event.detail);
        break;
      case "gap":
        events.gap(event.subscription);
        break;
      case "come_back":
        this.#comeBackMs = event.afterMs;
        break;
      case "ping":
      case "other":
        break;
    }
    return undefined;
  }

  /** Timers run on the monotonic clock, so a step of the wall clock doesn't look like silence. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      this.#silent = true;
      this.#abort.abort();
    }, this.#pingMs * SILENT_PINGS);
  }
}

function sentence(error: unknown): string {
  return error instanceof WakeshiftError ? error.message : error instanceof Error ? error.message.slice(0, 200) : "unknown fault";
}
