import type { AckState } from "@wakeshift/protocol";
import type { AckResult, ClaimedWake, ClaimResult, Hash, Instant } from "../store.ts";
import type { Effects } from "./file/effects.ts";
import type { Leases } from "./leases.ts";
import { passesFilter } from "./subscribing.ts";
import type { AccessChanges } from "./tables/access-changes.ts";
import type { Deliveries } from "./tables/deliveries.ts";
import type { Moves, Stretch } from "./tables/moves.ts";
import type { OccurrenceRow, Occurrences } from "./tables/occurrences.ts";
import type { Routes } from "./tables/routes.ts";
import type { SubscriptionRow, Subscriptions } from "./tables/subscriptions.ts";
import type { Tickets } from "./tables/tickets.ts";

export interface DeliveringTables {
  readonly accessChanges: AccessChanges;
  readonly deliveries: Deliveries;
  readonly leases: Leases;
  readonly moves: Moves;
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
  if (row === undefined || !isLive(tables, row, options.believed)) return { result: NOTHING, subscription: 0, cursor: undefined };
  // Expired by the wall clock alone: nothing is delivered, and it is looked at again.
  if (row.expires_at <= options.now) return { result: { ...NOTHING, retryInMs: DOUBT_MS }, subscription: 0, cursor: undefined };
  const prunedTo = tables.routes.prunedTo(row.route);
  const gap = prunedTo > Math.max(row.cursor, row.moved_at);
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
    const page = pending(tables, row, position, PAGE);
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
function isLive(tables: Pick<DeliveringTables, "accessChanges">, row: SubscriptionRow, now: Instant): boolean {
  return row.ended_at === null && row.expires_at > now && !isClosing(tables, row);
}

/** Whether a closing that is in force has yet to end it. Tools' own subscriptions stay. */
export function isClosing({ accessChanges }: Pick<DeliveringTables, "accessChanges">, row: SubscriptionRow): boolean {
  return row.via !== "tool" && accessChanges.isClosing(row);
}

/** The stretches of a subscription's queue beyond `seq`: by which route it is reached up to where. */
function stretches({ moves }: DeliveringTables, row: SubscriptionRow, seq: number): readonly Stretch[] {
  const own = { until: Number.MAX_SAFE_INTEGER, route: row.route };
  return seq >= row.moved_at ? [own] : [...moves.after(row.number, seq), own];
}

function pending(tables: DeliveringTables, row: SubscriptionRow, after: number, limit: number): readonly OccurrenceRow[] {
  const found: OccurrenceRow[] = [];
  let position = after;
  for (const { until, route } of stretches(tables, row, after)) {
    const page = tables.occurrences.pending(row.number, route, position, limit - found.length);
    found.push(...page.filter((occurrence) => occurrence.seq <= until));
    if (found.length >= limit) break;
    position = until;
  }
  return found;
}

/** The occurrence of this id, if it came to this subscription. */
function occurrenceOf(tables: DeliveringTables, row: SubscriptionRow, id: string): OccurrenceRow | undefined {
  let after = row.start;
  for (const { until, route } of stretches(tables, row, row.start)) {
    const found = tables.occurrences.onRoute(row.app, id, route);
    if (found !== undefined && found.seq > after && found.seq <= until) return found;
    after = until;
  }
  return undefined;
}

/** The seq up to which all that came is handed. */
function handedThrough(tables: DeliveringTables, row: SubscriptionRow): number {
  let position = row.cursor;
  for (const { until, route } of stretches(tables, row, row.cursor)) {
    const through = tables.deliveries.handedThrough(row.number, route, position, until);
    if (through < until) return through;
    position = until;
  }
  return position;
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
  if (!isLive(tables, row, believed)) return "late";
  if (use.kind === "unbound") tables.tickets.bind(use.number, row.id, holderHash, effects);
  // The holder renewed in between and acks by the ticket it was woken with: still its own delivery.
  if (use.kind === "retired" && !tables.tickets.isHeldBy(row.id, holderHash)) return "late";
  return hand(tables, row, seq, ack.state, now, effects);
}

function hand(tables: DeliveringTables, row: SubscriptionRow, seq: number, state: AckState, now: Instant, effects: Effects): AckResult {
  if (!tables.deliveries.handed(seq, row.number, now, state === "seen" ? now : undefined)) return "late";
  effects.afterCommit.push(() => tables.leases.drop(row.id, seq));
  tables.subscriptions.moveCursor(row.number, handedThrough(tables, row));
  if (row.once === 0) return "ok";
  if (seq > row.once_after) tables.subscriptions.end(row, "delivered", now, effects);
  // It was renewed since: now that this one is handed, the next may be offered.
  else effects.available.push(row.id);
  return "ok";
}
