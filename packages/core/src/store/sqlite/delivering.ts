import type { AckState } from "@wakeshift/protocol";
import type { AckResult, ClaimedWake, ClaimResult, Hash, Instant } from "../../engine/store.ts";
import type { Effects } from "./file/effects.ts";
import type { Leases } from "./leases.ts";
import { passesFilter } from "./subscribing.ts";
import type { Deliveries } from "./tables/deliveries.ts";
import type { OccurrenceRow, Occurrences } from "./tables/occurrences.ts";
import type { Routes } from "./tables/routes.ts";
import { isClosing } from "./tables/subscriptions.ts";
import type { SubscriptionRow, Subscriptions } from "./tables/subscriptions.ts";
import type { Tickets } from "./tables/tickets.ts";

export interface DeliveringTables {
  readonly deliveries: Deliveries;
  readonly leases: Leases;
  readonly occurrences: Occurrences;
  readonly routes: Routes;
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
}

export interface ClaimOptions {
  readonly taker: string;
  readonly limit: number;
  readonly now: Instant;
  /** By which it ends for good; `now` may be a wall clock that is wrong for a moment. */
  readonly believed: Instant;
  readonly monotonic: number;
  readonly leaseMs: number;
}

/** What a claim found, and where the cursor may move. Leases are taken by then; the cursor is the caller's to write. */
export interface Claimed {
  readonly result: ClaimResult;
  readonly subscription: number;
  /** Where it stands, if everything before was skipped or is gone. */
  readonly cursor: number | undefined;
}

const NOTHING: ClaimResult = { wakes: [], gap: false, retryInMs: undefined };
/** Rows read at a time, and how many a filter may skip in one claim. */
const PAGE = 32;
const SKIPPED_AT_MOST = 512;
/** Pause before a claim that a doubtful wall clock held up. */
const DOUBT_MS = 1_000;
/** Pause before a claim that stopped reading goes on. */
const CONTINUE_MS = 1;

/** Leases what is pending. Reads and memory only, so that a wake costs no sync of the disk. */
export function claim(tables: DeliveringTables, subscriptionId: string, options: ClaimOptions): Claimed {
  const row = tables.subscriptions.find(subscriptionId);
  if (row === undefined || !isLive(row, options.believed)) return { result: NOTHING, subscription: 0, cursor: undefined };
  // Expired by the wall clock alone: nothing is delivered, and it is looked at again.
  if (row.expires_at <= options.now) return { result: { ...NOTHING, retryInMs: DOUBT_MS }, subscription: 0, cursor: undefined };
  const prunedTo = tables.routes.prunedTo(row.route);
  const gap = prunedTo > row.cursor;
  const from = gap ? prunedTo : row.cursor;

  const found = findPending(tables, row, from, options);
  for (const wake of found.wakes) tables.leases.take(row.id, wake.seq, options.taker, options.monotonic + options.leaseMs);
  const out = [...tables.leases.live(row.id, options.monotonic).values()].map((lease) => lease.until - options.monotonic);
  const retryInMs = found.stopped ? CONTINUE_MS : out.length > 0 ? Math.max(0, Math.min(...out)) : undefined;
  return {
    result: { wakes: found.wakes, gap, retryInMs },
    subscription: row.number,
    cursor: found.cursor > row.cursor ? found.cursor : undefined,
  };
}

interface Found {
  readonly wakes: readonly ClaimedWake[];
  readonly cursor: number;
  /** Reading stopped before the end although too little was found. */
  readonly stopped: boolean;
}

function findPending(tables: DeliveringTables, row: SubscriptionRow, from: number, options: ClaimOptions): Found {
  const leased = tables.leases.live(row.id, options.monotonic);
  const limit = row.once === 1 ? Math.min(options.limit, 1 - leased.size) : options.limit;
  const wakes: ClaimedWake[] = [];
  let position = from;
  let skippedThrough = from;
  let contiguous = true;
  for (let skipped = 0; wakes.length < limit;) {
    if (skipped >= SKIPPED_AT_MOST) return { wakes, cursor: skippedThrough, stopped: true };
    const page = tables.occurrences.pending(row.number, row.route, position, PAGE);
    for (const occurrence of page) {
      position = occurrence.seq;
      const wanted = leased.has(occurrence.seq) || passesFilter(row.filter, occurrence);
      if (!wanted) {
        skipped += 1;
        if (contiguous) skippedThrough = occurrence.seq;
        continue;
      }
      contiguous = false;
      if (leased.has(occurrence.seq)) continue;
      wakes.push(claimedWake(row.id, occurrence));
      if (wakes.length >= limit) break;
    }
    if (page.length < PAGE) break;
  }
  return { wakes, cursor: skippedThrough, stopped: false };
}

/** Whether it receives anything: what a closing is about to end does not, however long that takes. */
function isLive(row: SubscriptionRow, now: Instant): boolean {
  return row.ended_at === null && row.expires_at > now && !isClosing(row);
}

/** The occurrence of this id, if it came to this subscription. */
function occurrenceOf({ occurrences }: DeliveringTables, row: SubscriptionRow, id: string): OccurrenceRow | undefined {
  const found = occurrences.onRoute(row.app, id, row.route);
  return found !== undefined && found.seq > row.start ? found : undefined;
}

function claimedWake(subscriptionId: string, row: OccurrenceRow): ClaimedWake {
  return {
    subscriptionId,
    seq: row.seq,
    occurrenceId: row.id,
    event: row.event,
    arguments: row.arguments,
    payload: row.payload,
    text: row.text,
    emittedAt: row.emitted_at,
  };
}

export interface Ack {
  readonly ticketHash: Hash;
  readonly occurrenceId: string;
  readonly state: AckState;
}

/** One ack, as part of a write. */
export function acknowledge(
  tables: DeliveringTables,
  ack: Ack,
  holderHash: Hash,
  { now, believed }: Pick<ClaimOptions, "now" | "believed">,
  effects: Effects,
): AckResult {
  const use = tables.tickets.look(ack.ticketHash, holderHash);
  if (use.kind === "unknown") return "unknown";
  const row = tables.subscriptions.find(use.subscriptionId);
  if (row === undefined) return "unknown";
  const occurrence = occurrenceOf(tables, row, ack.occurrenceId);
  if (occurrence === undefined || !passesFilter(row.filter, occurrence)) return "unknown";
  const { seq } = occurrence;
  // A turn that shows an occurrence of a `once` subscription is observed after the subscription has ended.
  if (ack.state === "seen" && tables.deliveries.seen(seq, row.number, now)) return "ok";
  if (!isLive(row, believed)) return "late";
  if (use.kind === "unbound") tables.tickets.bind(use.number, row.id, holderHash, effects);
  // The holder renewed in between and acks by the ticket it was woken with: still its own delivery.
  if (use.kind === "retired" && !tables.tickets.isHeldBy(row.id, holderHash)) return "late";
  return hand(tables, row, seq, ack.state, now, effects);
}

function hand(tables: DeliveringTables, row: SubscriptionRow, seq: number, state: AckState, now: Instant, effects: Effects): AckResult {
  if (!tables.deliveries.handed(seq, row.number, now, state === "seen" ? now : undefined)) return "late";
  effects.afterCommit.push(() => tables.leases.drop(row.id, seq));
  tables.subscriptions.moveCursor(row.number, tables.deliveries.handedThrough(row.number, row.route, row.cursor));
  if (row.once === 0) return "ok";
  if (seq > row.once_after) tables.subscriptions.end(row, "delivered", now, effects);
  // It was renewed since: now that this one is handed, the next may be offered.
  else effects.available.push(row.id);
  return "ok";
}
