import type { EndedReason } from "@wakeshift/protocol";
import type { Hash, Instant, TicketResolution } from "../../engine/store.ts";
import type { Effects } from "./file/effects.ts";
import type { Subscriptions } from "./tables/subscriptions.ts";
import { isClosing, subscriptionRecord } from "./tables/subscriptions.ts";
import type { Tickets } from "./tables/tickets.ts";

export interface TicketingTables {
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
}

/** What a ticket stands for at the believed time. `bind` is called for one that is live and was never used. */
export function resolveTicket(
  tables: TicketingTables,
  ticketHash: Hash,
  holderHash: Hash,
  believed: Instant,
  bind: (number: number, subscriptionId: string) => void,
): TicketResolution {
  const use = tables.tickets.look(ticketHash, holderHash);
  if (use.kind === "unknown") return { kind: "unknown", ticketHash };
  const row = tables.subscriptions.find(use.subscriptionId);
  if (row === undefined) return { kind: "unknown", ticketHash };
  const ended = (reason: EndedReason): TicketResolution => ({ kind: "ended", ticketHash, subscriptionId: row.id, reason });
  if (row.ended_at !== null) return ended(row.ended_reason ?? "ended");
  if (row.expires_at <= believed) return ended("expired");
  if (isClosing(row)) return ended("revoked");
  if (use.kind === "retired") return ended("replaced");
  if (use.kind === "unbound") bind(use.number, row.id);
  return { kind: "live", ticketHash, subscription: subscriptionRecord(row) };
}

/** Ends what the ticket allows this holder to end, as part of a write. */
export function endByTicket(tables: TicketingTables, ticketHash: Hash, holderHash: Hash, now: Instant, effects: Effects): TicketResolution {
  const resolution = resolveTicket(tables, ticketHash, holderHash, now, (number, id) =>
    tables.tickets.bind(number, id, holderHash, effects),
  );
  if (resolution.kind !== "live") return resolution;
  const row = tables.subscriptions.find(resolution.subscription.id);
  if (row !== undefined) tables.subscriptions.end(row, "unsubscribed", now, effects);
  return { kind: "ended", ticketHash, subscriptionId: resolution.subscription.id, reason: "unsubscribed" };
}
