import { createHash } from "node:crypto";
import { canonicalJson } from "@wakeshift/protocol";
import type { LiveTicket, ProgramName } from "@wakeshift/protocol";
import type { SubscriptionEntry } from "./subscription-entries.ts";

/** One subscription this bridge receives for, with its ticket. */
export interface Ticket extends Omit<SubscriptionEntry, "core"> {
  /** The core's address, to which the API paths are added. */
  readonly base: string;
  readonly origin: string;
  /** First 16 hex characters of the ticket's SHA-256. */
  readonly ticketId: string;
  readonly program: ProgramName;
  readonly conversation: string;
  /** The ticket id of a newer subscription of the same conversation for the same thing: this one is ended once that is live. */
  readonly supersededBy?: string;
}

const OVER_REMEMBERED = 10_000;

/** What adding a ticket changed. */
export interface TicketAdded {
  readonly ticket: Ticket;
  /** false: this very ticket was there before, and stays with the conversation it came to first. */
  readonly isNew: boolean;
  /** Older subscriptions of the same conversation, app, event and arguments. */
  readonly superseded: readonly Ticket[];
}

export function ticketIdOf(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex").slice(0, 16);
}

/**
 * All tickets of this machine, in memory. A renewed subscription has two for a moment: the core says when the older one
 * is retired, so that a made-up ticket can't push a good one out.
 */
export class TicketBook {
  readonly #byTicketId = new Map<string, Ticket>();
  /** Keys of those that, by their core's last word, no emit matches. Not on disk: a core says it anew on each connection. */
  readonly #stranded = new Set<string>();
  /** Keys of those that were removed. */
  readonly #over = new Set<string>();

  constructor(tickets: readonly Ticket[]) {
    for (const ticket of tickets) this.#byTicketId.set(keyOf(ticket), ticket);
  }

  /** Adds what a result handed over, and marks what it supersedes. */
  add(entry: SubscriptionEntry, program: ProgramName, conversation: string): TicketAdded {
    const { core, ...rest } = entry;
    const ticket: Ticket = { ...rest, base: core.base, origin: core.origin, ticketId: ticketIdOf(entry.ticket), program, conversation };
    const known = this.#byTicketId.get(keyOf(ticket));
    if (known !== undefined) return { ticket: known, isNew: false, superseded: [] };
    const superseded: Ticket[] = [];
    for (const other of this.ofConversation(program, conversation)) {
      if (other.id === ticket.id || !isSameThing(other, ticket)) continue;
      const marked = { ...other, supersededBy: ticket.ticketId };
      this.#byTicketId.set(keyOf(other), marked);
      superseded.push(marked);
    }
    this.#byTicketId.set(keyOf(ticket), ticket);
    return { ticket, isNew: true, superseded };
  }

  /** The core that took these tickets as live is theirs from now on. @returns whether that was new. */
  claim(tickets: readonly Ticket[], coreId: string): boolean {
    const unclaimed = tickets
      .flatMap((ticket) => this.find(ticket.base, ticket.ticketId) ?? [])
      .filter((ticket) => ticket.coreId === undefined);
    for (const ticket of unclaimed) this.#byTicketId.set(keyOf(ticket), { ...ticket, coreId });
    return unclaimed.length > 0;
  }

  /** Marks a ticket whose subscription no emit matches, since its event changed what routes are made of; or takes the mark away. */
  mark(base: string, ticketId: string, stranded: boolean): void {
    const key = keyOf({ base, ticketId });
    if (stranded && this.#byTicketId.has(key)) this.#stranded.add(key);
    else this.#stranded.delete(key);
  }

  isStranded(ticket: Ticket): boolean {
    return this.#stranded.has(keyOf(ticket));
  }

  /** Whether this ticket was here and is over. A hook may report it again; a renewed subscription has another one. */
  isOver(base: string, ticketId: string): boolean {
    return this.#over.has(keyOf({ base, ticketId }));
  }

  all(): readonly Ticket[] {
    return [...this.#byTicketId.values()];
  }

  find(base: string, ticketId: string): Ticket | undefined {
    return this.#byTicketId.get(keyOf({ base, ticketId }));
  }

  /** The tickets of one subscription, the newest last. */
  ofSubscription(base: string, subscription: string): readonly Ticket[] {
    return this.all().filter((ticket) => ticket.base === base && ticket.id === subscription);
  }

  /** Earlier tickets of the same subscription. */
  olderThan(ticket: Ticket): readonly Ticket[] {
    const all = this.ofSubscription(ticket.base, ticket.id);
    return all.slice(
      0,
      Math.max(
        0,
        all.findIndex((one) => one.ticketId === ticket.ticketId),
      ),
    );
  }

  /** Earlier subscriptions of the same conversation, app, event and arguments. */
  supersededBy(ticket: Ticket): readonly Ticket[] {
    const all = this.ofConversation(ticket.program, ticket.conversation);
    const place = all.findIndex((one) => one.base === ticket.base && one.ticketId === ticket.ticketId);
    return all.slice(0, Math.max(0, place)).filter((old) => old.id !== ticket.id && isSameThing(old, ticket));
  }

  ofCore(base: string): readonly Ticket[] {
    return this.all().filter((ticket) => ticket.base === base);
  }

  ofConversation(program: string, conversation: string): readonly Ticket[] {
    return this.all().filter((ticket) => ticket.program === program && ticket.conversation === conversation);
  }

  /**
   * One ticket for each subscription that is meant to last: the newest, without those about to be ended. Where the newer one
   * turned out to be none, the older one lasts.
   */
  current(): readonly Ticket[] {
    const newest = new Map<string, Ticket>();
    for (const ticket of this.#byTicketId.values()) {
      const isSuperseded = ticket.supersededBy !== undefined && this.find(ticket.base, ticket.supersededBy) !== undefined;
      if (!isSuperseded) newest.set(`${ticket.base}\n${ticket.id}`, ticket);
    }
    return [...newest.values()];
  }

  remove(ticket: Ticket): void {
    if (this.#over.size >= OVER_REMEMBERED) this.#over.clear();
    this.#over.add(keyOf(ticket));
    this.#byTicketId.delete(keyOf(ticket));
    this.#stranded.delete(keyOf(ticket));
  }
}

function keyOf(ticket: { readonly base: string; readonly ticketId: string }): string {
  return `${ticket.base}\n${ticket.ticketId}`;
}

/** Whether the core issued a ticket for what its entry claimed. */
export function isAsClaimed(ticket: Ticket, confirmed: LiveTicket | undefined): boolean {
  return (
    confirmed?.ticket_id === ticket.ticketId &&
    confirmed.subscription === ticket.id &&
    confirmed.app.id === ticket.app.id &&
    confirmed.event === ticket.event &&
    hasSameArguments(ticket, confirmed)
  );
}

function hasSameArguments(ticket: Ticket, confirmed: LiveTicket): boolean {
  try {
    return canonicalJson(ticket.arguments) === canonicalJson(confirmed.arguments);
  } catch {
    return false;
  }
}

function isSameThing(one: Ticket, other: Ticket): boolean {
  return (
    one.base === other.base &&
    one.app.id === other.app.id &&
    one.event === other.event &&
    canonicalJson(one.arguments) === canonicalJson(other.arguments)
  );
}
