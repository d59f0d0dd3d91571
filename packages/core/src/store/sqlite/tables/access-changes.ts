import type Database from "better-sqlite3";
import type { Access } from "@wakeshift/protocol";
import type { AccessChange, EventRecord, Instant } from "../../../engine/store.ts";
import type { Apps } from "./apps.ts";

interface ChangeRow {
  event: string;
  at: number;
  before: string | null;
  after: string | null;
  sdk: string | null;
  ended: number;
}

/** Of each event: an app whose servers publish different things in turns would fill the disk otherwise. */
const KEPT_PER_EVENT = 200;

/** The record of how the access of events changed. */
export class AccessChanges {
  private readonly apps: Apps;
  private readonly insert: Database.Statement;
  private readonly removeOld: Database.Statement;
  private readonly selectNewestOf: Database.Statement<[number, string], ChangeRow>;
  private readonly selectOf: Database.Statement<[number, number], ChangeRow>;

  constructor(database: Database.Database, apps: Apps) {
    this.apps = apps;
    this.insert = database.prepare("INSERT INTO access_changes (app, event, at, before, after, sdk, ended) VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.removeOld = database.prepare(
      `DELETE FROM access_changes WHERE app = :app AND event = :event AND number <= (
         SELECT number FROM access_changes WHERE app = :app AND event = :event ORDER BY number DESC LIMIT 1 OFFSET ${KEPT_PER_EVENT})`,
    );
    this.selectNewestOf = database.prepare("SELECT * FROM access_changes WHERE app = ? AND event = ? ORDER BY number DESC LIMIT 1");
    this.selectOf = database.prepare("SELECT * FROM access_changes WHERE app = ? ORDER BY number DESC LIMIT ?");
  }

  /** Records a change, and forgets the oldest of very many. `ended`: how many subscriptions it ends. */
  add(
    before: EventRecord,
    after: EventRecord,
    made: { readonly at: Instant; readonly sdk: string | undefined; readonly ended: number },
  ): void {
    const [from, to] = [before.access, after.access].map((access) => (access === undefined ? null : JSON.stringify(access)));
    const app = this.apps.numberOf(after.appId);
    this.insert.run(app, after.name, made.at, from, to, made.sdk ?? null, made.ended);
    this.removeOld.run({ app, event: after.name });
  }

  /** The newest change of an event. */
  newestOf(appId: string, event: string): AccessChange | undefined {
    const app = this.apps.numberIfAny(appId);
    const row = app === undefined ? undefined : this.selectNewestOf.get(app, event);
    return row === undefined ? undefined : accessChange(row);
  }

  /** Newest first. */
  list(appId: string, limit: number): readonly AccessChange[] {
    const app = this.apps.numberIfAny(appId);
    return app === undefined ? [] : this.selectOf.all(app, limit).map(accessChange);
  }
}

function accessOf(text: string | null): readonly Access[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as Access[]);
}

function accessChange({ event, at, before, after, sdk, ended }: ChangeRow): AccessChange {
  return { event, at, before: accessOf(before), after: accessOf(after), sdk: sdk ?? undefined, ended };
}
