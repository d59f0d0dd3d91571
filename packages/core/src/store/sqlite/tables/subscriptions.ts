import type Database from "better-sqlite3";
import { LIMITS } from "@wakeshift/protocol";
import type { EndedReason, Via } from "@wakeshift/protocol";
import type { EndFilter, Instant, SubscribeInput, SubscriptionRecord } from "../../../engine/store.ts";
import type { Effects } from "../file/effects.ts";
import type { Apps } from "./apps.ts";
import { hashBytes, hashText } from "./hash.ts";
import type { Routes } from "./routes.ts";

/** A row as the store's own code uses it. */
export interface SubscriptionRow {
  number: number;
  id: string;
  app: number;
  app_id: string;
  event: string;
  route: Buffer;
  arguments: string;
  filter: string;
  user: string | null;
  client: string;
  harness: string | null;
  conversation: string;
  via: Via;
  tool: string;
  call_id: string | null;
  once: number;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  ended_reason: EndedReason | null;
  start: number;
  once_after: number;
  renewal: number;
  renewals: number;
  cursor: number;
  claim_by: number | null;
  shape: string | null;
  /** Of its event: what other paths than tools subscribed up to this number receives nothing. */
  closed_through: number | null;
  /** 1: its event has another shape than it was made with. */
  stranded: number | null;
}

/** What a renewal replaces, so that it can be put back. */
export type Terms = Pick<SubscriptionRow, "once" | "once_after" | "expires_at" | "harness" | "via" | "tool" | "renewal">;

export function termsOf({ once, once_after, expires_at, harness, via, tool, renewal }: SubscriptionRow): Terms {
  return { once, once_after, expires_at, harness, via, tool, renewal };
}

/** Rows ended in one write at most. */
export const ENDED_PER_WRITE = 500;

const COLUMNS = "s.*, apps.id AS app_id, e.closed_through, s.shape <> e.shape AS stranded";
const SELECT = `SELECT ${COLUMNS} FROM subscriptions s JOIN apps ON apps.number = s.app LEFT JOIN events e ON e.app = s.app AND e.name = s.event`;
/** From the few events that closed, by the index of what other paths than tools made. */
const SELECT_CLOSED = `SELECT ${COLUMNS} FROM events e CROSS JOIN subscriptions s ON s.app = e.app AND s.event = e.name JOIN apps ON apps.number = s.app
  WHERE e.closed_through > 0 AND s.number <= e.closed_through AND s.via <> 'tool' AND s.ended_at IS NULL LIMIT ?`;
const LIVE = "s.ended_at IS NULL AND s.expires_at >";

/** Subscriptions and their ends. Each end, whatever its reason, goes through {@link end}. */
export class Subscriptions {
  private readonly database: Database.Database;
  private readonly apps: Apps;
  private readonly routes: Routes;
  private readonly insert: Database.Statement;
  private readonly updateRenewed: Database.Statement;
  private readonly updateTerms: Database.Statement;
  private readonly updateEnded: Database.Statement<[number, EndedReason, number]>;
  private readonly updateCursor: Database.Statement<[number, number]>;
  private readonly updateCall: Database.Statement<[string | null, number]>;
  private readonly selectById: Database.Statement<[string], SubscriptionRow>;
  private readonly selectByNumber: Database.Statement<[number], SubscriptionRow>;
  private readonly selectSame: Database.Statement<[string, string, string, Buffer], SubscriptionRow>;
  private readonly countLive: Database.Statement<[string, number], number>;
  private readonly selectNthOfUser: Database.Statement<[number, string, number], number>;
  private readonly selectNthOfNobody: Database.Statement<[number, number], number>;
  private readonly updateClaimed: Database.Statement<[string]>;
  private readonly selectUnclaimed: Database.Statement<[number, number], SubscriptionRow>;
  private readonly selectDue: Database.Statement<[number, number], SubscriptionRow>;
  private readonly selectClosed: Database.Statement<[number], SubscriptionRow>;
  private readonly countOthersPaths: Database.Statement<[number, string, number], number>;
  private readonly countOthersShapes: Database.Statement<Record<string, unknown>, number>;
  private readonly selectNextExpiry: Database.Statement<[], number | null>;
  private readonly filtered = new Map<string, Database.Statement<Record<string, unknown>, SubscriptionRow>>();
  /** The newest number given, by this process or before. None is given twice: deliveries and closings go by it. */
  private newest: number;
  /** No live subscription expires before this. */
  private nextExpiry = 0;

  /** @param removedTo - the newest number of those that were removed */
  constructor(database: Database.Database, apps: Apps, routes: Routes, removedTo: number) {
    this.database = database;
    this.apps = apps;
    this.routes = routes;
    this.insert = database.prepare(
      `INSERT INTO subscriptions (number, id, app, event, route, arguments, filter, user, client, harness, conversation, via, tool, call_id, once, created_at, expires_at, claim_by, start, once_after, cursor, shape)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.updateRenewed = database.prepare(
      "UPDATE subscriptions SET once = ?, once_after = ?, expires_at = ?, claim_by = CASE WHEN claim_by IS NULL THEN NULL ELSE ? END, harness = coalesce(?, harness), via = ?, tool = ?, call_id = ?, shape = ?, renewal = renewals + 1, renewals = renewals + 1 WHERE number = ?",
    );
    this.updateTerms = database.prepare(
      "UPDATE subscriptions SET once = ?, once_after = ?, expires_at = ?, harness = ?, via = ?, tool = ?, renewal = ? WHERE number = ?",
    );
    this.updateEnded = database.prepare("UPDATE subscriptions SET ended_at = ?, ended_reason = ? WHERE number = ? AND ended_at IS NULL");
    this.updateCursor = database.prepare("UPDATE subscriptions SET cursor = max(cursor, ?) WHERE number = ?");
    this.updateCall = database.prepare("UPDATE subscriptions SET call_id = ? WHERE number = ?");
    this.selectById = database.prepare(`${SELECT} WHERE s.id = ?`);
    this.selectByNumber = database.prepare(`${SELECT} WHERE s.number = ?`);
    this.selectSame = database.prepare(
      `${SELECT} WHERE s.conversation = ? AND s.event = ? AND s.arguments = ? AND s.route = ? AND s.ended_at IS NULL`,
    );
    this.countLive = database
      .prepare<[string, number], number>(`SELECT count(*) FROM subscriptions s WHERE s.conversation = ? AND ${LIVE} ?`)
      .pluck();
    this.selectNthOfUser = database
      .prepare<[number, string, number], number>(
        "SELECT 1 FROM subscriptions WHERE app = ? AND user = ? AND ended_at IS NULL LIMIT 1 OFFSET ?",
      )
      .pluck();
    this.selectNthOfNobody = database
      .prepare<[number, number], number>("SELECT 1 FROM subscriptions WHERE app = ? AND user IS NULL AND ended_at IS NULL LIMIT 1 OFFSET ?")
      .pluck();
    this.updateClaimed = database.prepare("UPDATE subscriptions SET claim_by = NULL WHERE id = ? AND claim_by IS NOT NULL");
    this.selectUnclaimed = database.prepare(`${SELECT} WHERE s.ended_at IS NULL AND s.claim_by <= ? ORDER BY s.claim_by LIMIT ?`);
    this.selectDue = database.prepare(`${SELECT} WHERE s.ended_at IS NULL AND s.expires_at <= ? ORDER BY s.expires_at LIMIT ?`);
    this.selectClosed = database.prepare(SELECT_CLOSED);
    this.countOthersPaths = database
      .prepare<[number, string, number], number>(
        `SELECT count(*) FROM subscriptions s WHERE s.app = ? AND s.event = ? AND s.via <> 'tool' AND ${LIVE} ?`,
      )
      .pluck();
    // Two ranges instead of one comparison: those of the event's own shape, which may be very many, aren't read.
    this.countOthersShapes = database
      .prepare<Record<string, unknown>, number>(
        `SELECT (SELECT count(*) FROM subscriptions s WHERE s.app = :app AND s.event = :event AND s.shape < :shape AND ${LIVE} :now)
              + (SELECT count(*) FROM subscriptions s WHERE s.app = :app AND s.event = :event AND s.shape > :shape AND ${LIVE} :now)`,
      )
      .pluck();
    this.selectNextExpiry = database.prepare<[], number | null>("SELECT min(expires_at) FROM subscriptions WHERE ended_at IS NULL").pluck();
    const kept = Number(database.prepare("SELECT coalesce(max(number), 0) FROM subscriptions").pluck().get());
    this.newest = Math.max(kept, removedTo);
  }

  find(id: string): SubscriptionRow | undefined {
    return this.selectById.get(id);
  }

  findNumber(number: number): SubscriptionRow | undefined {
    return this.selectByNumber.get(number);
  }

  /** The one not yet ended with the same conversation, event, arguments and route; it may have expired. */
  findSame({ event, arguments: args, route }: SubscribeInput, conversationId: string): SubscriptionRow | undefined {
    return this.selectSame.get(conversationId, event, args, hashBytes(route));
  }

  /** How many live ones of an event other paths than tools made. */
  countOfOtherPaths(appId: string, event: string, now: Instant): number {
    return this.countOthersPaths.get(this.apps.numberOf(appId), event, now) ?? 0;
  }

  /** How many live ones of an event were made with another shape than this. */
  countOfOtherShapes(appId: string, event: string, shape: string, now: Instant): number {
    return this.countOthersShapes.get({ app: this.apps.numberOf(appId), event, shape, now }) ?? 0;
  }

  /** Ends what closed events have taken from other paths than tools, at most one step; returns how many. */
  endClosed(now: Instant, effects: Effects, limit: number): number {
    const rows = this.selectClosed.all(limit);
    for (const row of rows) this.end(row, "revoked", now, effects);
    return rows.length;
  }

  liveOf(conversationId: string, now: Instant): number {
    return this.countLive.get(conversationId, now) ?? 0;
  }

  /** Whether this user of an app, or all its callers without one together, have so many that haven't ended. */
  callerHas(many: number, app: number, user: string | undefined): boolean {
    const found = user === undefined ? this.selectNthOfNobody.get(app, many - 1) : this.selectNthOfUser.get(app, user, many - 1);
    return found !== undefined;
  }

  /** A ticket of it is used: somebody receives it. */
  claimed(id: string): void {
    this.updateClaimed.run(id);
  }

  /** Ends those whose tickets nobody used in time, at most one step; returns how many. */
  endUnclaimed(now: Instant, effects: Effects, limit: number): number {
    const rows = this.selectUnclaimed.all(now, limit);
    for (const row of rows) this.end(row, "unclaimed", now, effects);
    return rows.length;
  }

  create(input: SubscribeInput, app: number, conversationId: string, start: number, cursor: number): void {
    const route = hashBytes(input.route);
    this.newest += 1;
    this.insert.run(
      this.newest,
      input.id,
      app,
      input.event,
      route,
      input.arguments,
      input.filter,
      input.user ?? null,
      input.client,
      input.harness ?? null,
      conversationId,
      input.via,
      input.tool,
      input.callId ?? null,
      input.once ? 1 : 0,
      input.now,
      input.expiresAt,
      input.now + LIMITS.unclaimedMs,
      start,
      start,
      cursor,
      input.shape,
    );
    this.routes.subscribed(route);
    this.nextExpiry = Math.min(this.nextExpiry, input.expiresAt);
  }

  /**
   * The cursor stays. A subscription that a tool made, or renews, counts as the tool's from then on.
   *
   * @param newest - the newest seq: who renews a `once` waits for what comes after it, so nothing older ends it.
   */
  renew(row: SubscriptionRow, input: SubscribeInput, newest: number): void {
    const [via, tool] = input.via === "tool" || row.via !== "tool" ? [input.via, input.tool] : [row.via, row.tool];
    // A renewal outside any call can't be rolled back, so no failed call may end what it renewed.
    const creator = input.callId === undefined ? null : row.call_id;
    this.updateRenewed.run(
      input.once ? 1 : 0,
      newest,
      input.expiresAt,
      input.now + LIMITS.unclaimedMs,
      input.harness ?? null,
      via,
      tool,
      creator,
      input.shape,
      row.number,
    );
    this.nextExpiry = Math.min(this.nextExpiry, input.expiresAt);
  }

  /** Takes renewals back: the subscription is on these terms again. Its cursor stays. */
  restore(subscription: number, { once, once_after, expires_at, harness, via, tool, renewal }: Terms): void {
    this.updateTerms.run(once, once_after, expires_at, harness, via, tool, renewal, subscription);
    this.nextExpiry = Math.min(this.nextExpiry, expires_at);
  }

  /** Ends one, whatever the reason; nothing happens to one that has ended. */
  end(row: SubscriptionRow, reason: EndedReason, now: Instant, effects: Effects): void {
    if (this.updateEnded.run(now, reason, row.number).changes === 0) return;
    this.routes.ended(row.route);
    effects.ended.push({ subscriptionId: row.id, reason });
  }

  /** Ends what expired, at most one step; answers how many. Cheap when nothing is due. */
  expire(now: Instant, effects: Effects, limit: number): number {
    if (now < this.nextExpiry) return 0;
    const due = this.selectDue.all(now, limit);
    for (const row of due) this.end(row, "expired", now, effects);
    // Not before they are off the disk: a transaction that is undone leaves them due.
    effects.afterCommit.push(() => (this.nextExpiry = this.selectNextExpiry.get() ?? Number.MAX_SAFE_INTEGER));
    return due.length;
  }

  moveCursor(subscription: number, seq: number): void {
    this.updateCursor.run(seq, subscription);
  }

  /** Which call's failure ends it from now on. */
  setCall(subscription: number, callId: string | null): void {
    this.updateCall.run(callId, subscription);
  }

  list(filter: EndFilter, now: Instant): readonly SubscriptionRow[] {
    return this.page(filter, now, 0, Number.MAX_SAFE_INTEGER, -1);
  }

  /** In the order of their numbers: those after `after`, up to `last`, at most `limit` of them. */
  page(filter: EndFilter, now: Instant, after: number, last: number, limit: number): readonly SubscriptionRow[] {
    return this.select(filter, { now, after, last, limit });
  }

  /** Ends up to {@link ENDED_PER_WRITE} of those numbered up to `last`; answers how many. */
  endSome(filter: EndFilter, reason: EndedReason, now: Instant, last: number, effects: Effects): number {
    const rows = this.page(filter, now, 0, last, ENDED_PER_WRITE);
    for (const row of rows) this.end(row, reason, now, effects);
    return rows.length;
  }

  newestNumber(): number {
    return this.newest;
  }

  private select(filter: EndFilter, bounds: Readonly<Record<"now" | "after" | "last" | "limit", number>>): readonly SubscriptionRow[] {
    const app = this.apps.numberIfAny(filter.appId);
    if (app === undefined) return [];
    const conditions = ["s.app = :app", `${LIVE} :now`, "s.number > :after", "s.number <= :last"];
    const values: Record<string, unknown> = { app, ...bounds };
    for (const [field, column] of FILTER_COLUMNS) {
      if (filter[field] === undefined) continue;
      conditions.push(`s.${column} = :${field}`);
      values[field] = filter[field];
    }
    if (filter.via !== undefined) {
      conditions.push("s.via IN (SELECT value FROM json_each(:via))");
      values["via"] = JSON.stringify(filter.via);
    }
    if (filter.argumentsIncluding !== undefined) {
      conditions.push(INCLUDES);
      values["including"] = filter.argumentsIncluding;
    }
    const sql = `${SELECT} WHERE ${conditions.join(" AND ")} ORDER BY s.number LIMIT :limit`;
    let statement = this.filtered.get(sql);
    if (statement === undefined) this.filtered.set(sql, (statement = this.database.prepare(sql)));
    return statement.all(values);
  }
}

/** Both sides are canonical, so that equal values are equal texts, those of objects and lists included. */
const INCLUDES = `NOT EXISTS (SELECT 1 FROM json_each(:including) wanted WHERE NOT EXISTS (
  SELECT 1 FROM json_each(s.arguments) given WHERE given.key = wanted.key AND given.type = wanted.type AND given.value IS wanted.value))`;

const FILTER_COLUMNS = [
  ["id", "id"],
  ["event", "event"],
  ["user", "user"],
  ["conversationId", "conversation"],
  ["arguments", "arguments"],
] as const;

/** Whether a closing that is in force has yet to end it. What a tool made or renewed stays. */
export function isClosing({
  via,
  number,
  closed_through: closedThrough,
}: Pick<SubscriptionRow, "via" | "number" | "closed_through">): boolean {
  return via !== "tool" && number <= (closedThrough ?? 0);
}

export function subscriptionRecord(row: SubscriptionRow): SubscriptionRecord {
  return {
    id: row.id,
    appId: row.app_id,
    event: row.event,
    route: hashText(row.route),
    arguments: row.arguments,
    filter: row.filter,
    user: row.user ?? undefined,
    client: row.client,
    harness: row.harness ?? undefined,
    conversationId: row.conversation,
    via: row.via,
    tool: row.tool,
    once: row.once === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at ?? undefined,
    endedReason: row.ended_reason ?? undefined,
    shape: row.shape ?? undefined,
    stranded: row.stranded === 1,
  };
}
