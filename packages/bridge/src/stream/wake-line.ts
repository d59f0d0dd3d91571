import { createParser } from "eventsource-parser";
import type { StreamRequest } from "@wakeshift/protocol";
import { LIMITS, WakeshiftError } from "@wakeshift/protocol";
import type { Ticket } from "../state/ticket-book.ts";
import { UnprovenCore } from "./core-channel.ts";
import { CoreRefusal } from "./core-exchange.ts";
import type { CoreChannel, CoreHttp } from "./core-http.ts";
import type { Answering } from "./answering.ts";
import { isOfCore } from "./answering.ts";
import { describeFault, handOn } from "./line.ts";
import type { Line, LineEnd, LineEvents } from "./line.ts";
import { clampRetry, readStreamEvent } from "./stream-event.ts";
import { fateOfStream } from "./stream-or-poll.ts";
import type { StreamFacts } from "./stream-or-poll.ts";

/** Silence of so many times the promised ping interval means that the connection is gone. */
const SILENT_PINGS = 2.5;
const EVENT_CHARACTERS = 4_194_304;

/** One event stream with one core. */
export class WakeLine implements Line {
  readonly way = "stream";
  readonly #readyMs: number;
  #tickets: readonly Ticket[];
  readonly #abort = new AbortController();
  #isReady = false;
  #comeBackMs: number | undefined;
  #answering: Answering | undefined;
  #pingMs: number = LIMITS.pingMs;
  #watchdog: NodeJS.Timeout | undefined;
  #isAsked = false;
  #isHeard = false;
  #isFlowing = false;
  /** After how long without anything it was given up. */
  #silentMs: number | undefined;

  /** @param readyMs - how long it may stay without its first event. */
  constructor(tickets: readonly Ticket[], readyMs: number) {
    this.#tickets = tickets;
    this.#readyMs = readyMs;
  }

  get tickets(): readonly Ticket[] {
    return this.#tickets;
  }

  get answering(): Answering | undefined {
    return this.#answering;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  close(): void {
    this.#abort.abort();
  }

  async run(http: CoreHttp, base: string, holder: string, events: LineEvents): Promise<LineEnd> {
    let channel: CoreChannel | undefined;
    try {
      channel = await http.open(base, this.#abort.signal);
      const answering = { kind: "core", id: channel.coreId } as const;
      this.#answering = answering;
      this.#tickets = this.#tickets.filter((ticket) => isOfCore(ticket, answering));
      if (this.#tickets.length === 0) return this.#end("over", undefined, "another core answers at this address");
      const body: StreamRequest = { holder, tickets: this.#tickets.map((ticket) => ticket.ticket) };
      this.#isAsked = true;
      this.#watch();
      await this.#read(await channel.exchange.stream("/stream", body, this.#abort.signal), events);
      return this.#end("over", undefined, "the core closed the stream");
    } catch (error) {
      if (error instanceof UnprovenCore) this.#answering = { kind: "unproven" };
      const asked = error instanceof CoreRefusal ? error.retryAfterMs : undefined;
      if (this.#silentMs !== undefined) return this.#end("silent", asked, `no sign of life for ${Math.round(this.#silentMs)} ms`);
      return this.#end(this.#abort.signal.aborted ? "left" : isOwnRefusal(error) ? "refused" : "over", asked, describeFault(error));
    } finally {
      this.#isReady = false;
      clearTimeout(this.#watchdog);
      this.#abort.abort();
      channel?.close();
    }
  }

  #end(end: StreamFacts["end"], askedMs: number | undefined, detail: string): LineEnd {
    const fate = fateOfStream({ isAsked: this.#isAsked, isHeard: this.#isHeard, isFlowing: this.#isFlowing, end });
    return { comeBackMs: this.#comeBackMs ?? askedMs, detail, answering: this.#answering, fate };
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
      if (this.#isReady && !this.#isFlowing) {
        this.#isFlowing = true;
        events.flowing();
      }
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
    this.#isHeard = true;
    switch (event.kind) {
      case "ready":
        this.#pingMs = event.ready.ping_ms;
        this.#isReady = true;
        this.#watch();
        events.ready(event.ready.live ?? []);
        break;
      case "ended":
        this.#tickets = this.#tickets.filter((ticket) => ticket.ticketId !== event.ended.ticket_id);
        break;
      case "come_back":
        this.#comeBackMs = event.afterMs;
        break;
      default:
    }
    return handOn(event, events);
  }

  /** Timers run on the monotonic clock, so a step of the wall clock doesn't look like silence. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    const silentMs = this.#isReady ? this.#pingMs * SILENT_PINGS : this.#readyMs;
    this.#watchdog = setTimeout(() => {
      this.#silentMs = silentMs;
      this.#abort.abort();
    }, silentMs);
  }
}

/** The core itself said no; not something between, and not the network. */
function isOwnRefusal(error: unknown): boolean {
  return error instanceof CoreRefusal && error.code !== "unreachable" && error.code !== "bad_response";
}
