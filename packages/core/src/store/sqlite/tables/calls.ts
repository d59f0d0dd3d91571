import type Database from "better-sqlite3";
import type { Instant } from "../../../engine/store.ts";
import type { Terms } from "./subscriptions.ts";

/** What a call did to one subscription. */
export interface CallLink {
  readonly subscription: number;
  /** Absent: it made it, and renewed it no more. */
  readonly renewed: Renewal | undefined;
}

/** A call's last renewal of a subscription, and the terms it replaced. */
export interface Renewal {
  readonly renewal: number;
  readonly before: Terms;
}

interface LinkRow {
  subscription: number;
  renewal: number | null;
  before: string | null;
}

/** Which tool calls made or renewed which subscriptions, and which calls are closed. */
export class Calls {
  private readonly insert: Database.Statement<[number, string, number, number, number | null, string | null]>;
  private readonly selectOne: Database.Statement<[number, string, number], LinkRow>;
  private readonly selectOf: Database.Statement<[number, string], LinkRow>;
  private readonly selectOn: Database.Statement<[number], { app: number; call_id: string; before: string }>;
  private readonly updateBefore: Database.Statement<[string, number, string, number]>;
  private readonly removeOf: Database.Statement<[number, string]>;
  private readonly selectOther: Database.Statement<[number], string>;
  private readonly insertClosed: Database.Statement<[number, string, number]>;
  private readonly selectClosed: Database.Statement<[number, string], number>;

  constructor(database: Database.Database) {
    this.insert = database.prepare(
      `INSERT INTO calls (app, call_id, subscription, at, renewal, before) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET renewal = excluded.renewal, before = excluded.before`,
    );
    this.selectOne = database.prepare("SELECT subscription, renewal, before FROM calls WHERE app = ? AND call_id = ? AND subscription = ?");
    this.selectOf = database.prepare("SELECT subscription, renewal, before FROM calls WHERE app = ? AND call_id = ?");
    this.selectOn = database.prepare("SELECT app, call_id, before FROM calls WHERE subscription = ? AND before IS NOT NULL");
    this.updateBefore = database.prepare("UPDATE calls SET before = ? WHERE app = ? AND call_id = ? AND subscription = ?");
    this.removeOf = database.prepare("DELETE FROM calls WHERE app = ? AND call_id = ?");
    this.selectOther = database.prepare<[number], string>("SELECT call_id FROM calls WHERE subscription = ? LIMIT 1").pluck();
    this.insertClosed = database.prepare("INSERT INTO closed_calls (app, call_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.selectClosed = database.prepare<[number, string], number>("SELECT 1 FROM closed_calls WHERE app = ? AND call_id = ?").pluck();
  }

  isClosed(app: number, callId: string): boolean {
    return this.selectClosed.get(app, callId) !== undefined;
  }

  /** Notes that the call made the subscription, or renewed it. */
  link(app: number, callId: string, subscription: number, at: Instant, renewed: Renewal | undefined): void {
    const known = this.selectOne.get(app, callId, subscription);
    // Its own terms, once more: what they replaced at first is what comes back, or nothing if the call made it.
    const again = known !== undefined && renewed !== undefined && renewed.before.renewal === (known.renewal ?? 0);
    const before = again ? known.before : renewed === undefined ? null : JSON.stringify(renewed.before);
    this.insert.run(app, callId, subscription, at, renewed?.renewal ?? null, before);
  }

  /** Closes the call and forgets its links; answers what it had made or renewed. */
  close(app: number, callId: string, at: Instant): readonly CallLink[] {
    this.insertClosed.run(app, callId, at);
    const linked = this.selectOf.all(app, callId);
    this.removeOf.run(app, callId);
    return linked.map(({ subscription, renewal, before }) => ({
      subscription,
      renewed: renewal === null || before === null ? undefined : { renewal, before: JSON.parse(before) as Terms },
    }));
  }

  /** The renewal that came on top of a failed one goes back to what that one had replaced, should it fail, too. */
  passOn(subscription: number, failed: Renewal): void {
    for (const row of this.selectOn.all(subscription)) {
      if ((JSON.parse(row.before) as Terms).renewal !== failed.renewal) continue;
      this.updateBefore.run(JSON.stringify(failed.before), row.app, row.call_id, subscription);
    }
  }

  /** Another call that stands behind the subscription. */
  otherOf(subscription: number): string | undefined {
    return this.selectOther.get(subscription);
  }
}
