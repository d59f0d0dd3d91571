import { isSecret } from "@wakeshift/protocol";
import { sha256Hex, ticketIdOf } from "../engine/hash.ts";
import type { Hash } from "../store/store.ts";

/** The tickets of one request. */
export interface AskedTickets {
  /** Each once, in the order asked. */
  readonly hashes: readonly Hash[];
  /** Ticket ids of what has not even the form of a ticket. */
  readonly malformed: readonly string[];
}

/** Hashes the tickets of a request. What is no ticket spoils none of the others. */
export function askedTickets(tickets: readonly unknown[]): AskedTickets {
  const hashes = new Set<Hash>();
  const malformed = new Set<string>();
  for (const ticket of tickets) {
    const text = typeof ticket === "string" ? ticket : JSON.stringify(ticket);
    if (isSecret("ticket", text)) hashes.add(sha256Hex(text));
    else malformed.add(ticketIdOf(sha256Hex(text)));
  }
  return { hashes: [...hashes], malformed: [...malformed] };
}
