import { isSecret } from "@wakeshift/protocol";
import type { Ended } from "@wakeshift/protocol";
import { sha256Hex, ticketIdOf } from "../engine/hash.ts";
import type { Hash } from "../engine/store.ts";

/** The tickets of one request. */
export interface AskedTickets {
  /** Each once, in the order asked. */
  readonly hashes: readonly Hash[];
  /** Ticket ids of what has not even the form of a ticket. */
  readonly malformed: readonly string[];
}

const BEARER = /^Bearer +(\S.*)$/i;

/**
 * Hashes the tickets of a request. What is no ticket spoils none of the others.
 *
 * @param authorization - a header that may hold further ones: `Bearer`, then tickets with spaces or commas between.
 */
export function askedTickets(tickets: readonly unknown[], authorization?: string): AskedTickets {
  const hashes = new Set<Hash>();
  const malformed = new Set<string>();
  const inHeader =
    BEARER.exec(authorization ?? "")?.[1]
      ?.trim()
      .split(/[\s,]+/) ?? [];
  for (const ticket of [...tickets, ...inHeader]) {
    const text = typeof ticket === "string" ? ticket : `a ticket that is a ${typeof ticket}`;
    if (isSecret("ticket", text)) hashes.add(sha256Hex(text));
    else malformed.add(ticketIdOf(sha256Hex(text)));
  }
  return { hashes: [...hashes], malformed: [...malformed] };
}

/** How many of these tickets the core doesn't know, or not as this holder's. */
export function unknownIn(ended: readonly Pick<Ended, "reason">[]): number {
  return ended.filter(({ reason }) => reason === "unknown").length;
}
