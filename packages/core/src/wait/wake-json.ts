import type { ClaimedWake, SubscriptionRecord } from "../store/store.ts";

/** What a wake says beside the occurrence. */
export interface WakeFacts {
  readonly subscription: SubscriptionRecord;
  readonly ticketId: string;
  readonly app: { readonly id: string; readonly name: string };
  readonly leaseMs: number;
}

/**
 * A wake as JSON. The payload is stored as the JSON its author's SDK sent, so it is put in as it is, neither read nor written again.
 */
export function wakeJson(wake: ClaimedWake, facts: WakeFacts): string {
  const { subscription, ticketId, app, leaseMs } = facts;
  const before = JSON.stringify({
    subscription: subscription.id,
    ticket_id: ticketId,
    occurrence: wake.occurrenceId,
    seq: wake.seq,
    event: wake.event,
    app,
    text: wake.text,
    timestamp: new Date(wake.emittedAt).toISOString(),
    once: subscription.once,
    lease_ms: leaseMs,
  });
  return `${before.slice(0, -1)},"arguments":${wake.arguments},"payload":${wake.payload}}`;
}

const BEYOND_ASCII = /[\u007f-\uffff]/g;

/**
 * JSON as pure ASCII on one line. Some readers of event streams take U+0085, U+2028 or U+2029 for a line's end, and some break a
 * character whose bytes come in two pieces.
 */
export function asciiJson(json: string): string {
  return json.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
