import type { Via } from "@wakeshift/protocol";
import { mayBeEmitted, requiredValuesSchema, splitArguments, takeAlike } from "@wakeshift/protocol";
import { isPersonal, routeOf } from "../../engine/event/event-arguments.ts";
import { judgeChecks, refusedIn } from "../../engine/schema/judge-checks.ts";
import type { CheckBudget } from "../../engine/schema/judge-checks.ts";
import { KnownSchema } from "../../engine/schema/known-schema.ts";
import { CANT_BE_APPLIED } from "../../engine/schema/schema-check.ts";
import type { EventRecord, Hash, Instant } from "../store.ts";
import type { Effects } from "./file/effects.ts";
import { moveTo } from "./moving.ts";
import type { AccessChanges, ChangeUnderWay } from "./tables/access-changes.ts";
import { isClosed } from "./tables/access-changes.ts";
import type { Events } from "./tables/events.ts";
import { hashBytes, hashText } from "./tables/hash.ts";
import type { Moves } from "./tables/moves.ts";
import type { Occurrences } from "./tables/occurrences.ts";
import { ENDED_PER_WRITE } from "./tables/subscriptions.ts";
import type { ReachRow, SubscriptionRow, Subscriptions } from "./tables/subscriptions.ts";

export interface PublishingTables {
  readonly accessChanges: AccessChanges;
  readonly events: Events;
  readonly moves: Moves;
  readonly occurrences: Occurrences;
  readonly subscriptions: Subscriptions;
}

/** Who published, and when. */
export interface Published {
  readonly now: Instant;
  readonly sdk: string | undefined;
}

/** The paths a tools-only event is closed to. */
const OTHER_PATHS: readonly Via[] = ["subscribe_events", "native"];

/**
 * Stores what differs, as one write; answers the names.
 *
 * A new openness is in force with this write: what it takes from whom is written down, so that no delivery and no restart gets
 * past it. Ending and moving the subscriptions themselves takes as many further writes as there are steps ({@link stepChange}).
 */
export function putEvents(tables: PublishingTables, given: readonly EventRecord[], { now, sdk }: Published): readonly string[] {
  const { accessChanges, events, occurrences, subscriptions } = tables;
  const changed = events.changed(given);
  for (const event of changed) {
    const before = events.find(event.appId, event.name);
    events.put(event);
    if (before === undefined) continue;
    const strands = !takeAlike(before.argumentsSchema, event.argumentsSchema);
    if (!strands && JSON.stringify(before.access) === JSON.stringify(event.access)) continue;
    const reaches = closes(before, event) || isPersonal(before) !== isPersonal(event);
    const until = reaches ? subscriptions.newestNumber() : undefined;
    accessChanges.add(before, event, { at: now, sdk, seq: occurrences.newestSeq(), until, strands });
  }
  return changed.map((event) => event.name);
}

/** One bounded step of a change, as one write: ends what it closes the event to, and moves what stays to its new route. */
export function stepChange(tables: PublishingTables, change: ChangeUnderWay, now: Instant, effects: Effects): void {
  const { accessChanges, events, subscriptions } = tables;
  const event = events.find(change.appId, change.event);
  if (event === undefined) return accessChanges.step(change, change.until, 0);
  const [before, after] = [change.before, change.after].map((access) => ({ ...event, access })) as [EventRecord, EventRecord];
  const shut = closes(before, after);
  const moves = isPersonal(before) !== isPersonal(after);
  const filter = { appId: change.appId, event: change.event, ...(moves ? {} : { via: OTHER_PATHS }) };
  const rows = subscriptions.page(filter, now, change.position, change.until, ENDED_PER_WRITE);
  let ended = 0;
  for (const row of rows) {
    const user = row.user ?? undefined;
    if ((shut && OTHER_PATHS.includes(row.via)) || (moves && isPersonal(after) && user === undefined)) {
      subscriptions.end(row, "revoked", now, effects);
      ended += 1;
    } else if (moves) move(tables, row, after, change.seq, effects);
  }
  const last = rows.length < ENDED_PER_WRITE ? undefined : rows.at(-1)?.number;
  accessChanges.step(change, last ?? change.until, ended);
}

/** What was emitted up to the change is still read from the old route; from then on the new one counts. */
function move(tables: PublishingTables, row: SubscriptionRow, event: EventRecord, seq: number, effects: Effects): void {
  const args = JSON.parse(row.arguments) as Record<string, unknown>;
  const { optional } = splitArguments(event.argumentsSchema, args);
  moveTo(tables, row, { route: hashBytes(routeNow(event, row, args)), optional, seq }, effects);
}

/** The route that occurrences with a subscription's arguments have, as its event is now. */
function routeNow(event: EventRecord, row: ReachRow, args: Readonly<Record<string, unknown>>): Hash {
  const { required } = splitArguments(event.argumentsSchema, args);
  return routeOf(event, required, isPersonal(event) ? (row.user ?? undefined) : undefined);
}

/** Which of these values a schema, as JSON, refuses. What can't be told within the budget counts as taken. */
export type RefusalJudge = (appId: string, schema: string, values: readonly unknown[], budget: CheckBudget) => Promise<readonly boolean[]>;

/** Steps that one subscription's arguments may take to check at once. */
const STEPS_AT_ONCE = 100;
/** How long other work waits at most. */
const HERE_MS = 20;

/** Judges on this thread. */
export const refusedHere: RefusalJudge = (_, schema, values, budget) => {
  const job = { checks: [{ schema, values: JSON.stringify(values) }], budgetMs: Math.min(HERE_MS, budget.leftMs) };
  if (job.budgetMs <= 0) return Promise.resolve(values.map(() => false));
  const { judgements, tookMs } = judgeChecks(job, new Map(), { monotonic: () => performance.now(), cpu: () => performance.now() });
  budget.leftMs -= tookMs;
  return Promise.resolve(refusedIn(judgements, values));
};

/**
 * Makes the count of those subscriptions of an event that no emit reaches as it is now. Rather one too few is told of than a wrong
 * one, or a core held up: what can't be judged within the budget is taken.
 */
export function beyondReachOf(
  event: EventRecord,
  refusedOf: RefusalJudge,
  budget: CheckBudget,
): (rows: readonly ReachRow[]) => Promise<number> {
  const judging = new KnownSchema(requiredValuesSchema(event.argumentsSchema));
  return async (rows) => {
    let beyond = 0;
    const unjudged: unknown[] = [];
    const refusal = (value: unknown): string | undefined => {
      const now = judging.checkPlain(value, STEPS_AT_ONCE);
      if (now === undefined) unjudged.push(value);
      return now?.fault === CANT_BE_APPLIED ? undefined : now?.fault;
    };
    for (const row of rows) {
      const args = JSON.parse(row.arguments) as Record<string, unknown>;
      const isReached = routeNow(event, row, args) === hashText(row.route) && mayBeEmitted(event.argumentsSchema, args, refusal);
      if (!isReached) beyond += 1;
    }
    if (unjudged.length === 0) return beyond;
    return beyond + (await refusedOf(event.appId, judging.json, unjudged, budget)).filter(Boolean).length;
  };
}

function closes(before: EventRecord, after: EventRecord): boolean {
  return isClosed(after) && !isClosed(before);
}
