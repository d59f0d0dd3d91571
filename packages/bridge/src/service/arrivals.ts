import type { Ended, LiveTicket, ProgramName, Wake } from "@wakeshift/protocol";
import type { Clock } from "../clock.ts";
import type { OccurrenceAnswer } from "../local-api.ts";
import { conversationKey } from "../state/conversations.ts";
import type { OccurrenceFiles } from "../state/occurrence-files.ts";
import type { OutboxMessage } from "../state/outbox.ts";
import { endingOf, ofCore } from "../state/outbox.ts";
import type { PendingWake, PendingWakes } from "../state/pending-wakes.ts";
import { wakeKey } from "../state/pending-wakes.ts";
import type { Subscriptions } from "../state/subscriptions.ts";
import type { Ticket } from "../state/ticket-book.ts";
import { isAsClaimed } from "../state/ticket-book.ts";
import type { Trust } from "../trust/trust.ts";

export interface ArrivalsParts {
  readonly clock: Clock;
  readonly subscriptions: Subscriptions;
  readonly pending: PendingWakes;
  readonly occurrences: OccurrenceFiles;
  readonly trust: Trust;
  readonly send: (messages: readonly OutboxMessage[]) => Promise<void>;
  /** Lines that carry only tickets without use are closed. */
  readonly onTickets: () => void;
  readonly pump: (program: ProgramName, conversation: string) => void;
  /** A subscription or a pending wake of the conversation came or went. */
  readonly onChange: (program: ProgramName, conversation: string) => void;
  readonly log: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** What is over this stays at the core, which offers it again. */
const MOST_PENDING_PER_CONVERSATION = 500;

/** Takes what the cores' streams bring: wakes to be kept and handed on, endings, tickets that became live. */
export class Arrivals {
  readonly #parts: ArrivalsParts;
  #lastArrival: Promise<unknown> = Promise.resolve();
  /** Wakes whose content is being written, by conversation. */
  readonly #underWay = new Map<string, number>();

  constructor(parts: ArrivalsParts) {
    this.#parts = parts;
  }

  /** Keeps one wake, unless the conversation has had it, and sets its delivery going. */
  async wake(base: string, wake: Wake): Promise<void> {
    const { pending, trust, clock, log } = this.#parts;
    const ticket = this.#ticketOf(base, wake);
    // Of a muted one, the core keeps what isn't acked.
    if (ticket === undefined || trust.decide(ticket.origin, ticket.app.id) === "denied") return;
    if (trust.decide(ticket.origin, wake.app.id) !== "allowed") {
      log("a ticket belongs to another app than its result said; it is ended", { base, app: wake.app.id, subscription: ticket.id });
      this.#forget(ticket);
      await this.#parts.send([endingOf(ticket, clock.now())]);
      return;
    }
    if (wake.subscription !== ticket.id || wake.app.id !== ticket.app.id || wake.event !== ticket.event) {
      log("a wake is for something else than its ticket; it is left at its core", { base, subscription: ticket.id, event: wake.event });
      return;
    }
    const { program, conversation } = ticket;
    const arrived: PendingWake = {
      program,
      conversation,
      base,
      app: wake.app.id,
      occurrence: wake.occurrence,
      receivedAt: clock.now(),
      ...ofCore(ticket),
      subscriptions: [{ id: ticket.id, ticketId: ticket.ticketId, ticket: ticket.ticket }],
    };
    if (await this.#isKnown(arrived)) return;
    const key = conversationKey(program, conversation);
    const underWay = this.#underWay.get(key) ?? 0;
    if (pending.ofConversation(program, conversation).length + underWay >= MOST_PENDING_PER_CONVERSATION) return;
    this.#underWay.set(key, underWay + 1);
    try {
      await this.#keep(base, wake, arrived);
    } finally {
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
    }
  }

  async #keep(base: string, wake: Wake, arrived: PendingWake): Promise<void> {
    const { pending, occurrences, trust } = this.#parts;
    if (!(await this.#write(base, wake)) || (await this.#isKnown(arrived))) return;
    // It may have been denied, or its ticket may have ended, while its content was written.
    const isDenied = trust.decide(new URL(base).origin, wake.app.id) === "denied";
    if (isDenied) occurrences.remove(base, wake.app.id, wake.occurrence);
    if (isDenied || this.#ticketOf(base, wake) === undefined) return;
    pending.put(arrived);
    void pending.save();
    this.#parts.onChange(arrived.program, arrived.conversation);
    this.#parts.pump(arrived.program, arrived.conversation);
  }

  /** Writes the content side by side with others', but resolves in the order they came. false: it can't be written. */
  async #write(base: string, wake: Wake): Promise<boolean> {
    const kept = this.#parts.occurrences.keep(base, contentOf(wake));
    const earlier = this.#lastArrival;
    this.#lastArrival = Promise.allSettled([earlier, kept]);
    await earlier;
    try {
      await kept;
      return true;
    } catch (error) {
      this.#parts.log("a wake can't be kept; the core will offer it again", {
        occurrence: wake.occurrence,
        detail: error instanceof Error ? error.message : "",
      });
      return false;
    }
  }

  /** A ticket receives nothing more. What is pending for it goes too, unless it was delivered or replaced. */
  async ended(base: string, ended: Ended): Promise<void> {
    const { subscriptions, log } = this.#parts;
    const ticket = subscriptions.tickets.find(base, ended.ticket_id);
    if (ticket === undefined) return;
    subscriptions.tickets.remove(ticket);
    const lives =
      ended.reason === "delivered" || ended.reason === "replaced" || subscriptions.tickets.ofSubscription(base, ticket.id).length > 0;
    log("a subscription ended", { base, subscription: ticket.id, reason: ended.reason });
    if (!lives) this.#dropPending(ticket);
    await subscriptions.save();
    this.#parts.onChange(ticket.program, ticket.conversation);
  }

  /**
   * These tickets are live. One that the core issued for something else than its entry claimed is ended: an app can name
   * another's subscription. The others end what they supersede, and the older tickets of the same subscriptions, as far as the
   * core confirmed what they are for.
   */
  async ready(base: string, tickets: readonly Ticket[], confirmed: readonly LiveTicket[], coreId: string | undefined): Promise<void> {
    const { subscriptions, log } = this.#parts;
    if (coreId !== undefined && subscriptions.tickets.claim(tickets, coreId)) void subscriptions.save();
    const facts = new Map(confirmed.map((one) => [one.ticket_id, one]));
    const live = tickets.filter((ticket) => subscriptions.tickets.find(base, ticket.ticketId) !== undefined);
    const known = live.filter((ticket) => facts.has(ticket.ticketId));
    const sound = known.filter((ticket) => isAsClaimed(ticket, facts.get(ticket.ticketId)));
    const foreign = known.filter((ticket) => !sound.includes(ticket));
    for (const { id, ticketId } of foreign)
      log("a ticket is for something else than its result said; it is ended", {
        base,
        claimed: id,
        subscription: facts.get(ticketId)?.subscription,
        app: facts.get(ticketId)?.app.id,
      });
    const retired = sound.flatMap((ticket) => subscriptions.tickets.olderThan(ticket)).filter((old) => !foreign.includes(old));
    const superseded = sound.flatMap((ticket) => subscriptions.tickets.supersededBy(ticket)).filter((old) => !foreign.includes(old));
    if (retired.length + superseded.length + foreign.length === 0) return;
    for (const ticket of foreign) this.#forget(ticket);
    for (const ticket of [...retired, ...superseded]) subscriptions.tickets.remove(ticket);
    await subscriptions.save();
    this.#parts.onTickets();
    await this.#parts.send([...foreign, ...superseded].map((ticket) => endingOf(ticket, this.#parts.clock.now())));
  }

  /** Ends subscriptions from this side, and at their core. @returns false where that isn't on disk yet. */
  async end(tickets: readonly Ticket[]): Promise<boolean> {
    const { subscriptions, clock } = this.#parts;
    for (const ticket of tickets) this.#forget(ticket);
    const saved = await subscriptions.save();
    await this.#parts.send(tickets.map((ticket) => endingOf(ticket, clock.now())));
    return saved;
  }

  /**
   * Lets go of pending wakes that the user's answers refuse: the core keeps them, unacked, and offers them again once it may. One
   * that a program was given already stays, so that it isn't shown a second time. @returns false if that isn't on disk yet.
   */
  async letGoOfDenied(): Promise<boolean> {
    const { pending, occurrences, trust } = this.#parts;
    const refused = pending.all().filter((wake) => trust.decide(new URL(wake.base).origin, wake.app) === "denied");
    const [given, waiting] = [refused.filter((wake) => wake.delivery !== undefined), refused.filter((wake) => wake.delivery === undefined)];
    for (const wake of waiting) {
      pending.remove(wakeKey(wake));
      const isShared = given.some((one) => one.base === wake.base && one.app === wake.app && one.occurrence === wake.occurrence);
      if (!isShared) occurrences.remove(wake.base, wake.app, wake.occurrence);
      this.#parts.onChange(wake.program, wake.conversation);
    }
    return pending.save();
  }

  /** Lets go of what ran out by `now` while nobody was there to take it, and of tickets of cores that never told their end. */
  dropExpired(now: number): void {
    const { subscriptions, pending, log } = this.#parts;
    for (const ticket of subscriptions.tickets.all()) {
      if (ticket.expiresAt > now) continue;
      const waiting = pending
        .ofConversation(ticket.program, ticket.conversation)
        .some((wake) => wake.subscriptions.some((one) => one.ticketId === ticket.ticketId));
      if (waiting)
        log("a subscription expired before its wakes could be handed over", { subscription: ticket.id, conversation: ticket.conversation });
      this.#forget(ticket);
      void subscriptions.save();
    }
  }

  /** A wake may still come by an older ticket, on a line that is about to close. */
  #ticketOf(base: string, wake: Wake): Ticket | undefined {
    const { tickets } = this.#parts.subscriptions;
    return tickets.find(base, wake.ticket_id) ?? tickets.ofSubscription(base, wake.subscription).at(-1);
  }

  /** true: the conversation had it, or it is pending already. The subscription is then noted or acked with it. */
  async #isKnown(arrived: PendingWake): Promise<boolean> {
    const { pending, clock } = this.#parts;
    const key = wakeKey(arrived);
    const subscription = arrived.subscriptions[0];
    if (subscription === undefined) return true;
    if (pending.wasHanded(key)) {
      await this.#parts.send([
        {
          kind: "ack",
          base: arrived.base,
          app: arrived.app,
          ...ofCore(arrived),
          ticket: subscription.ticket,
          occurrence: arrived.occurrence,
          state: "handed",
          since: clock.now(),
        },
      ]);
      return true;
    }
    const known = pending.find(key);
    if (known === undefined) return false;
    if (!known.subscriptions.some((one) => one.ticketId === subscription.ticketId)) {
      pending.put({ ...known, subscriptions: [...known.subscriptions.filter((one) => one.id !== subscription.id), subscription] });
      void pending.save();
    }
    return true;
  }

  #forget(ticket: Ticket): void {
    const { tickets } = this.#parts.subscriptions;
    tickets.remove(ticket);
    if (!tickets.ofConversation(ticket.program, ticket.conversation).some((other) => other.base === ticket.base && other.id === ticket.id))
      this.#dropPending(ticket);
    this.#parts.onChange(ticket.program, ticket.conversation);
  }

  #dropPending(ticket: Ticket): void {
    const { pending } = this.#parts;
    for (const wake of pending.ofConversation(ticket.program, ticket.conversation)) {
      if (wake.base !== ticket.base || !wake.subscriptions.some((one) => one.id === ticket.id)) continue;
      const others = wake.subscriptions.filter((one) => one.id !== ticket.id);
      if (others.length === 0) pending.remove(wakeKey(wake));
      else pending.put({ ...wake, subscriptions: others });
    }
    void pending.save();
  }
}

function contentOf(wake: Wake): OccurrenceAnswer {
  return {
    occurrence: wake.occurrence,
    event: wake.event,
    app: wake.app,
    subscription: wake.subscription,
    arguments: wake.arguments,
    text: wake.text,
    payload: wake.payload,
    timestamp: wake.timestamp,
  };
}
