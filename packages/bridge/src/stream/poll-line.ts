import { setTimeout as pause } from "node:timers/promises";
import { WakeshiftError } from "@wakeshift/protocol";
import type { NextRequest } from "@wakeshift/protocol";
import { z } from "zod";
import type { Ticket } from "../state/ticket-book.ts";
import type { Answering } from "./answering.ts";
import { isOfCore } from "./answering.ts";
import { UnprovenCore } from "./core-channel.ts";
import { CoreRefusal } from "./core-exchange.ts";
import type { CoreHttp } from "./core-http.ts";
import { describeFault, handOn } from "./line.ts";
import type { Line, LineEnd, LineEvents } from "./line.ts";
import { readEvent } from "./stream-event.ts";
import type { StreamEvent } from "./stream-event.ts";

/** Shorter than what proxies wait for an answer. */
const WAIT_MS = 20_000;
const ANSWER_MS = 15_000;
/** An answer without anything that comes sooner isn't followed by the next question at once. */
const LEAST_MS = 1_000;

const nextSchema = z.object({
  wakes: z.array(z.unknown()),
  ended: z.array(z.unknown()),
  gaps: z.array(z.unknown()).optional().catch(undefined),
});

/**
 * Long polls of one core, one after another. Where something on the way holds back what isn't complete, wakes still come
 * through, since each answer ends.
 */
export class PollLine implements Line {
  readonly way = "poll";
  #tickets: readonly Ticket[];
  readonly #abort = new AbortController();
  #isReady = false;
  #answering: Answering | undefined;

  constructor(tickets: readonly Ticket[]) {
    this.#tickets = tickets;
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
    try {
      for (let waitMs = 0; ; waitMs = WAIT_MS) {
        const startedAt = performance.now();
        const found = await this.#poll(http, base, holder, waitMs);
        await Promise.all(found.flatMap((event) => this.#take(event, events) ?? []));
        if (this.#tickets.length === 0) return this.#end(undefined, "nothing is subscribed there any more");
        if (!this.#isReady) {
          this.#isReady = true;
          events.ready([]);
        } else if (found.length === 0) {
          await pause(Math.max(0, startedAt + LEAST_MS - performance.now()), undefined, { signal: this.#abort.signal });
        }
      }
    } catch (error) {
      if (error instanceof UnprovenCore) this.#answering = { kind: "unproven" };
      return this.#end(error instanceof CoreRefusal ? error.retryAfterMs : undefined, describeFault(error));
    } finally {
      this.#isReady = false;
      this.#abort.abort();
    }
  }

  /** By a connection of its own: what closes it may be the relay between, after each answer. */
  async #poll(http: CoreHttp, base: string, holder: string, waitMs: number): Promise<readonly StreamEvent[]> {
    const { signal } = this.#abort;
    const channel = await http.open(base, signal);
    try {
      const answering = { kind: "core", id: channel.coreId } as const;
      this.#answering = answering;
      this.#tickets = this.#tickets.filter((ticket) => isOfCore(ticket, answering));
      if (this.#tickets.length === 0) throw new WakeshiftError("unreachable", "another core answers at this address");
      const body: NextRequest = { holder, tickets: this.#tickets.map((ticket) => ticket.ticket), wait_ms: waitMs };
      const answer = nextSchema.safeParse(await channel.exchange.post("/next", body, waitMs + ANSWER_MS, signal));
      if (!answer.success) throw new WakeshiftError("bad_response", `${base} answered a poll with something else than wakes`);
      const { wakes, ended, gaps = [] } = answer.data;
      return [
        ...wakes.map((one) => readEvent("wake", one)),
        ...ended.map((one) => readEvent("ended", one)),
        ...gaps.map((one) => readEvent("gap", one)),
      ];
    } finally {
      channel.close();
    }
  }

  #take(event: StreamEvent, events: LineEvents): Promise<void> | undefined {
    if (event.kind === "ended") this.#tickets = this.#tickets.filter((ticket) => ticket.ticketId !== event.ended.ticket_id);
    return handOn(event, events);
  }

  #end(comeBackMs: number | undefined, detail: string): LineEnd {
    return { comeBackMs, detail, answering: this.#answering, fate: "untested" };
  }
}
