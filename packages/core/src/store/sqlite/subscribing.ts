import { matchesFilter, mayBeUsedBy } from "@wakeshift/protocol";
import type { Instant, SubscribeInput, SubscribeResult } from "../../engine/store.ts";
import type { Effects } from "./file/effects.ts";
import type { Apps } from "./tables/apps.ts";
import type { Calls } from "./tables/calls.ts";
import type { Conversations } from "./tables/conversations.ts";
import type { Events } from "./tables/events.ts";
import type { OccurrenceRow, Occurrences } from "./tables/occurrences.ts";
import type { SubscriptionRow, Subscriptions, Terms } from "./tables/subscriptions.ts";
import { isClosing, subscriptionRecord, termsOf } from "./tables/subscriptions.ts";
import type { Tickets } from "./tables/tickets.ts";

export interface SubscribingTables {
  readonly apps: Apps;
  readonly calls: Calls;
  readonly conversations: Conversations;
  readonly events: Events;
  readonly occurrences: Occurrences;
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
}

/** Whether an occurrence passes a subscription's optional arguments. */
export function passesFilter(filter: string, row: OccurrenceRow): boolean {
  if (filter === "{}") return true;
  return matchesFilter(
    JSON.parse(filter) as Record<string, unknown>,
    JSON.parse(row.arguments) as Record<string, unknown>,
    JSON.parse(row.payload),
  );
}

/** Makes or renews a subscription, as one write. */
export function subscribe(
  tables: SubscribingTables,
  input: SubscribeInput,
  replay: SearchedReplay | undefined,
  believed: Instant,
  effects: Effects,
): SubscribeResult {
  const { calls, conversations, subscriptions, tickets } = tables;
  const app = tables.apps.numberOf(input.appId);
  if (input.callId !== undefined && calls.isClosed(app, input.callId)) return { kind: "call_closed" };
  // It may have closed, or be reached by other routes, since the caller looked.
  const event = input.via === "tool" ? undefined : tables.events.find(input.appId, input.event);
  if (event !== undefined && !mayBeUsedBy(event.access, input.via)) return { kind: "not_open" };
  if (!tables.events.isAsDecided(input)) return { kind: "event_changed" };
  const known = input.conversationId === undefined ? undefined : conversations.going(app, input.conversationId, input.newConversation);

  const same = known === undefined ? undefined : subscriptions.findSame(input, known);
  // A closing that has yet to end it does so also where the event is open again: renewed, it would end behind its caller's back.
  const closing = same !== undefined && input.via !== "tool" && isClosing(same);
  const renews = same !== undefined && same.expires_at > Math.min(input.now, believed) && !closing;
  if (same !== undefined && !renews) subscriptions.end(same, closing ? "revoked" : "expired", input.now, effects);
  if (!renews && known !== undefined && subscriptions.liveOf(known, input.now) >= input.limit) return { kind: "limit" };

  if (!renews && subscriptions.callerHas(input.callerLimit, app, input.user)) return { kind: "caller_limit" };

  const id = renews ? same.id : input.id;
  if (renews) subscriptions.renew(same, input, tables.occurrences.newestSeq());
  else subscriptions.create(input, app, known ?? conversations.create(input, app), ...startOf(tables, input, replay));
  tickets.issue(input.ticketHash, app, id);
  const row = subscriptions.find(id);
  if (row === undefined) throw new Error("a subscription just written is not there");
  if (input.callId !== undefined) {
    calls.link(app, input.callId, row.number, input.now, renews ? { renewal: row.renewal, before: termsOf(same) } : undefined);
  }
  return { kind: renews ? "renewed" : "created", subscription: subscriptionRecord(row) };
}

/** What the search for the occurrence to replay has come to, ahead of the write. */
export interface SearchedReplay {
  readonly found: number | undefined;
}

/** Occurrences looked at in one go, and in all: a filter may pass over every one of a day. */
const REPLAY_PAGE = 100;
const REPLAY_PAGES = 200;

/** Whether the occurrence to replay takes a search: without a filter one look tells, which the write takes itself. */
export function mustSearch({ replaySince, filter }: SubscribeInput): boolean {
  return replaySince !== undefined && filter !== "{}";
}

/** A search for the occurrence to replay, a page a step. */
export function* searchReplay(tables: SubscribingTables, input: SubscribeInput): Generator<undefined, SearchedReplay | undefined> {
  if (input.replaySince === undefined) return undefined;
  let before: number | undefined = tables.occurrences.newestSeq() + 1;
  for (let page = 0; page < REPLAY_PAGES && before !== undefined; page += 1) {
    const { found, next } = replayedBefore(tables, input, input.replaySince, before);
    if (found !== undefined) return { found };
    before = next;
    yield;
  }
  return { found: undefined };
}

function replayedBefore(
  { occurrences }: SubscribingTables,
  { route, filter }: SubscribeInput,
  since: Instant,
  before: number,
): ReturnType<Occurrences["newestSince"]> {
  const wanted = (row: OccurrenceRow): boolean => passesFilter(filter, row);
  return occurrences.newestSince(Buffer.from(route, "hex"), since, wanted, { before, limit: REPLAY_PAGE });
}

/** Where it starts, and where its cursor stands: just before the replayed occurrence, if there is one. */
function startOf(tables: SubscribingTables, input: SubscribeInput, searched: SearchedReplay | undefined): [start: number, cursor: number] {
  const newest = tables.occurrences.newestSeq();
  if (input.replaySince === undefined) return [newest, newest];
  // What was emitted while the search went on is newer than what it found.
  const { found } = replayedBefore(tables, input, input.replaySince, newest + 1);
  const replayed = found ?? searched?.found;
  const start = replayed === undefined ? newest : replayed - 1;
  return [start, start];
}

/**
 * Takes back what one call did, as one write; answers how many subscriptions it ended.
 *
 * A subscription is the call's own as long as no other call stands behind it. If another one renewed it in the
 * meantime, it passes to that call: it stays unless that one fails, too.
 *
 * What the call only renewed is on its former terms again, unless a later renewal came on top: those terms are that one's.
 */
export function rollbackCall(tables: SubscribingTables, appId: string, callId: string, now: Instant, effects: Effects): number {
  const { calls, subscriptions } = tables;
  const app = tables.apps.numberOf(appId);
  let ended = 0;
  for (const { subscription: number, renewed } of calls.close(app, callId, now)) {
    const row = subscriptions.findNumber(number);
    if (row === undefined || row.ended_at !== null) continue;
    if (renewed !== undefined) {
      if (row.renewal === renewed.renewal) restore(tables, row, renewed.before, now, effects);
      else calls.passOn(number, renewed);
    }
    if (row.call_id !== callId) continue;
    const other = calls.otherOf(number);
    if (other !== undefined) {
      subscriptions.setCall(number, other);
      continue;
    }
    subscriptions.end(row, "rolled_back", now, effects);
    ended += 1;
  }
  return ended;
}

/** A tool's renewal held a subscription of another path; without it, that one goes as its event's closing said meanwhile. */
function restore(tables: SubscribingTables, row: SubscriptionRow, before: Terms, now: Instant, effects: Effects): void {
  tables.subscriptions.restore(row.number, before);
  if (isClosing({ ...row, via: before.via })) tables.subscriptions.end(row, "revoked", now, effects);
}
