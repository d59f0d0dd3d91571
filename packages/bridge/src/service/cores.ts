import { isLoopbackHost } from "@wakeshift/protocol";
import type { Ended, LiveTicket, Wake } from "@wakeshift/protocol";
import type { Holder } from "../state/holder.ts";
import type { OutboxMessage, Outbox } from "../state/outbox.ts";
import type { Ticket, TicketBook } from "../state/ticket-book.ts";
import type { Trust } from "../trust/trust.ts";
import type { CoreHttp } from "../stream/core-http.ts";
import { CoreLink } from "../stream/core-link.ts";
import { OutboxSender } from "../stream/outbox-sender.ts";
import type { WayTimes } from "../stream/stream-or-poll.ts";

export interface CoresEvents {
  readonly ready: (base: string, tickets: readonly Ticket[], confirmed: readonly LiveTicket[], coreId: string | undefined) => void;
  readonly wake: (base: string, wake: Wake) => Promise<void>;
  readonly ended: (base: string, ended: Ended) => void;
  readonly log: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

export interface CoresParts {
  readonly tickets: TicketBook;
  readonly trust: Trust;
  readonly holder: Holder;
  readonly outbox: Outbox;
  readonly http: CoreHttp;
  readonly random: () => number;
  readonly wayTimes: WayTimes | undefined;
  readonly events: CoresEvents;
}

/** A core on this machine costs nothing to ask, and is often restarted. */
const LONGEST_PAUSE_LOOPBACK_MS = 1_500;
const LONGEST_PAUSE_MS = 30_000;

/** Streams and messages of every core that may be contacted. Nothing here touches one that may not. */
export class Cores {
  readonly #parts: CoresParts;
  readonly #links = new Map<string, CoreLink>();
  readonly #senders = new Map<string, OutboxSender>();

  constructor(parts: CoresParts) {
    this.#parts = parts;
  }

  /** Brings links and senders in line with tickets, trust and outbox. Safe to call at any time. */
  refresh(): void {
    const { tickets, outbox } = this.#parts;
    const wanted = new Set(
      tickets
        .all()
        .filter((ticket) => this.#mayUse(ticket))
        .map((ticket) => ticket.base),
    );
    for (const [base, link] of this.#links) {
      if (wanted.has(base)) continue;
      link.close();
      this.#links.delete(base);
    }
    for (const base of wanted) this.#link(base).refresh();
    for (const link of this.#links.values()) link.trim();
    for (const base of outbox.bases()) {
      if (outbox.ofCore(base).some((message) => this.#mayCarry(message))) this.#sender(base).kick();
    }
  }

  /** Keeps messages, and sends them as soon as the user allows it and the core takes them. */
  async send(messages: readonly OutboxMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#parts.outbox.add(messages);
    this.refresh();
  }

  /** Whether something answers at this origin that can't prove to be the core noted there. */
  isUnproven(origin: string): boolean {
    return [...this.#links].some(([base, link]) => new URL(base).origin === origin && link.answering?.kind === "unproven");
  }

  find(base: string): CoreLink | undefined {
    return this.#links.get(base);
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
    for (const sender of this.#senders.values()) sender.close();
  }

  #mayUse(ticket: Ticket): boolean {
    return this.#parts.trust.decide(ticket.origin, ticket.app.id) === "allowed";
  }

  #mayCarry(message: OutboxMessage): boolean {
    const { origin } = new URL(message.base);
    const { trust } = this.#parts;
    return message.app === undefined ? trust.mayContact(origin) : trust.decide(origin, message.app) === "allowed";
  }

  #link(base: string): CoreLink {
    const known = this.#links.get(base);
    if (known !== undefined) return known;
    const { tickets, holder, http, random, wayTimes, events } = this.#parts;
    const link = new CoreLink({
      base,
      holder: holder.forCore(base),
      http,
      random,
      longestPauseMs: longestPause(base),
      ...(wayTimes === undefined ? {} : { times: wayTimes }),
      wanted: () => tickets.ofCore(base).filter((ticket) => this.#mayUse(ticket)),
      events: {
        ready: (live, confirmed, coreId) => {
          this.#senders.get(base)?.kick();
          for (const one of confirmed) tickets.mark(base, one.ticket_id, one.stranded === true);
          events.ready(base, live, confirmed, coreId);
        },
        wake: (wake) => events.wake(base, wake),
        ended: (ended) => events.ended(base, ended),
        stranded: ({ ticket_id: ticketId, stranded }) => tickets.mark(base, ticketId, stranded),
        gap: (subscription) => events.log("the core no longer had everything for a subscription", { base, subscription }),
        unusable: (detail) => events.log("a wake can't be used and is left at its core", { base, detail }),
        changed: (detail) => events.log(detail === "" ? "connected" : "not connected", detail === "" ? { base } : { base, detail }),
        switched: (way) =>
          events.log(way === "poll" ? "streams are held back on the way; the core is polled" : "a stream came through again", { base }),
      },
    });
    this.#links.set(base, link);
    return link;
  }

  #sender(base: string): OutboxSender {
    const known = this.#senders.get(base);
    if (known !== undefined) return known;
    const { holder, http, outbox, random, events } = this.#parts;
    const sender = new OutboxSender({
      base,
      holder: holder.forCore(base),
      http,
      outbox,
      mayCarry: (message) => this.#mayCarry(message),
      random,
      longestPauseMs: longestPause(base),
      onFailure: (detail) => events.log("acks not delivered yet", { base, detail }),
    });
    this.#senders.set(base, sender);
    return sender;
  }
}

function longestPause(base: string): number {
  return isLoopbackHost(new URL(base).hostname) ? LONGEST_PAUSE_LOOPBACK_MS : LONGEST_PAUSE_MS;
}
