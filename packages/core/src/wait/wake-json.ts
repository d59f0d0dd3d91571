import type { ClaimedWake, SubscriptionRecord } from "../engine/store.ts";
import type { Watch } from "./watch.ts";

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

/** Well under what receivers take as one event, with its characters escaped. */
const LIVE_CHARACTERS = 2_097_152;

/**
 * What the live tickets of a stream are good for, as a JSON list. A ticket whose facts don't fit any more is left out; it is as
 * live as the others.
 */
export function liveTicketsJson(live: readonly Pick<Watch, "subscription" | "ticketId" | "app" | "stranded">[]): string {
  const entries: string[] = [];
  let characters = 0;
  for (const { subscription, ticketId, app, stranded } of live) {
    const mark = stranded ? { stranded } : {};
    const before = JSON.stringify({ ticket_id: ticketId, subscription: subscription.id, app, event: subscription.event, ...mark });
    const entry = `${before.slice(0, -1)},"arguments":${subscription.arguments}}`;
    characters += asciiJson(entry).length + 1;
    if (characters > LIVE_CHARACTERS) break;
    entries.push(entry);
  }
  return `[${entries.join(",")}]`;
}

const BEYOND_ASCII = /[\u007f-\uffff]/g;

/**
 * JSON as pure ASCII on one line. Some readers of event streams take U+0085, U+2028 or U+2029 for a line's end, and some break a
 * character whose bytes come in two pieces.
 */
export function asciiJson(json: string): string {
  return json.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
