import type Database from "better-sqlite3";
import type { Instant } from "../../store.ts";

/** Which tool calls made or renewed which subscriptions, and which calls are closed. */
export class Calls {
  private readonly insert: Database.Statement<[number, string, number, number]>;
  private readonly selectOf: Database.Statement<[number, string], number>;
  private readonly removeOf: Database.Statement<[number, string]>;
  private readonly selectOther: Database.Statement<[number], string>;
  private readonly insertClosed: Database.Statement<[number, string, number]>;
  private readonly selectClosed: Database.Statement<[number, string], number>;

  constructor(database: Database.Database) {
    this.insert = database.prepare("INSERT INTO calls (app, call_id, subscription, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    this.selectOf = database.prepare<[number, string], number>("SELECT subscription FROM calls WHERE app = ? AND call_id = ?").pluck();
    this.removeOf = database.prepare("DELETE FROM calls WHERE app = ? AND call_id = ?");
    this.selectOther = database.prepare<[number], string>("SELECT call_id FROM calls WHERE subscription = ? LIMIT 1").pluck();
    this.insertClosed = database.prepare("INSERT INTO closed_calls (app, call_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.selectClosed = database.prepare<[number, string], number>("SELECT 1 FROM closed_calls WHERE app = ? AND call_id = ?").pluck();
  }

  isClosed(app: number, callId: string): boolean {
    return this.selectClosed.get(app, callId) !== undefined;
  }

  link(app: number, callId: string, subscription: number, at: Instant): void {
    this.insert.run(app, callId, subscription, at);
  }

  /** Closes the call and forgets its links; answers the numbers of the subscriptions it had made or renewed. */
  close(app: number, callId: string, at: Instant): readonly number[] {
    this.insertClosed.run(app, callId, at);
    const linked = this.selectOf.all(app, callId);
    this.removeOf.run(app, callId);
    return linked;
  }

  /** Another call that stands behind the subscription. */
  otherOf(subscription: number): string | undefined {
    return this.selectOther.get(subscription);
  }
}
