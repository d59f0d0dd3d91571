import type Database from "better-sqlite3";
import type { Access } from "@wakeshift/protocol";
import type { AccessChange, EventRecord, Instant } from "../../store.ts";
import type { Apps } from "./apps.ts";

/** A change that has yet to reach some of the subscriptions there were. */
export interface ChangeUnderWay {
  readonly number: number;
  readonly appId: string;
  readonly event: string;
  readonly before: readonly Access[] | undefined;
  readonly after: readonly Access[] | undefined;
  /** The newest occurrence when it was made. */
  readonly seq: number;
  /** Subscriptions numbered up to this are through. */
  readonly position: number;
  readonly until: number;
}

/** When a change was made, and by whom. */
export interface MadeChange {
  readonly at: Instant;
  readonly sdk: string | undefined;
  readonly seq: number;
  readonly until: number | undefined;
  /** Whether the event requires other arguments since then, or takes other values of them. */
  readonly strands: boolean;
}

/** A change of arguments whose effect nobody was told of yet. */
export interface UncountedChange {
  readonly number: number;
  readonly appId: string;
  readonly event: string;
}

interface ChangeRow {
  number: number;
  app_id: string;
  event: string;
  at: number;
  before: string | null;
  after: string | null;
  sdk: string | null;
  seq: number;
  position: number;
  until: number | null;
  ended: number;
  unreachable: number | null;
}

/** Of each event: somebody whose servers publish different things in turns would fill the disk otherwise. */
const KEPT_PER_EVENT = 200;

const SELECT = "SELECT c.*, apps.id AS app_id FROM access_changes c JOIN apps ON apps.number = c.app";

/** How the openness and the arguments of events changed, and how far each change has got. */
export class AccessChanges {
  private readonly apps: Apps;
  private readonly insert: Database.Statement;
  private readonly removeOld: Database.Statement;
  private readonly updateStep: Database.Statement<[number, number, number]>;
  private readonly updateDone: Database.Statement<[number]>;
  private readonly updateTold: Database.Statement<[number]>;
  private readonly selectUnderWay: Database.Statement<[number, string], ChangeRow>;
  private readonly selectAnyUnderWay: Database.Statement<[], ChangeRow>;
  private readonly selectClosing: Database.Statement<[number, string, number, number], number>;
  private readonly selectYetToReach: Database.Statement<[number, string, number, number], number>;
  private readonly selectUntold: Database.Statement<[number], ChangeRow>;
  private readonly selectRequired: Database.Statement<[number, string], string>;
  private readonly selectUncounted: Database.Statement<[number], ChangeRow>;
  private readonly updateUnreachable: Database.Statement<[number, number]>;
  private readonly selectOne: Database.Statement<[number], ChangeRow>;
  private readonly selectOf: Database.Statement<[number, number], ChangeRow>;

  constructor(database: Database.Database, apps: Apps) {
    this.apps = apps;
    this.insert = database.prepare(
      "INSERT INTO access_changes (app, event, at, before, after, sdk, seq, until, told, required_before) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    // What isn't through or told yet stays, and so does one of each set of required arguments: old routes are found by it.
    this.removeOld = database.prepare(
      `DELETE FROM access_changes AS c WHERE app = :app AND event = :event AND until IS NULL AND told = 1
       AND number <= (SELECT number FROM access_changes WHERE app = :app AND event = :event ORDER BY number DESC LIMIT 1 OFFSET ${KEPT_PER_EVENT})
       AND (required_before IS NULL OR unreachable IS NOT NULL AND EXISTS (
         SELECT 1 FROM access_changes n WHERE n.app = :app AND n.event = :event AND n.number > c.number AND n.required_before = c.required_before))`,
    );
    this.updateStep = database.prepare("UPDATE access_changes SET position = ?, ended = ended + ? WHERE number = ?");
    this.updateDone = database.prepare("UPDATE access_changes SET until = NULL WHERE number = ?");
    this.updateTold = database.prepare("UPDATE access_changes SET told = 1 WHERE number = ?");
    this.selectUnderWay = database.prepare(`${SELECT} WHERE c.app = ? AND c.event = ? AND c.until IS NOT NULL ORDER BY c.number LIMIT 1`);
    this.selectAnyUnderWay = database.prepare(`${SELECT} WHERE c.until IS NOT NULL LIMIT 1`);
    this.selectClosing = database
      .prepare<[number, string, number, number], number>(
        "SELECT 1 FROM access_changes WHERE app = ? AND event = ? AND until IS NOT NULL AND after = '[]' AND position < ? AND until >= ?",
      )
      .pluck();
    this.selectYetToReach = database
      .prepare<[number, string, number, number], number>(
        "SELECT 1 FROM access_changes WHERE app = ? AND event = ? AND until IS NOT NULL AND position < ? AND until >= ?",
      )
      .pluck();
    this.selectRequired = database
      .prepare<[number, string], string>(
        "SELECT DISTINCT required_before FROM access_changes WHERE app = ? AND event = ? AND required_before IS NOT NULL",
      )
      .pluck();
    this.selectUncounted = database.prepare(`${SELECT} WHERE c.app = ? AND c.required_before IS NOT NULL AND c.unreachable IS NULL`);
    this.updateUnreachable = database.prepare("UPDATE access_changes SET unreachable = ? WHERE number = ?");
    this.selectUntold = database.prepare(`${SELECT} WHERE c.app = ? AND c.told = 0`);
    this.selectOne = database.prepare(`${SELECT} WHERE c.number = ?`);
    this.selectOf = database.prepare(`${SELECT} WHERE c.app = ? ORDER BY c.number DESC LIMIT ?`);
  }

  /** Notes a change, and forgets the oldest of very many. `until`: the number up to which it reaches the subscriptions there are; `undefined`: none of them. */
  add(before: EventRecord, after: EventRecord, made: MadeChange): void {
    const closes = isClosed(after) && !isClosed(before);
    const texts = [before.access, after.access].map((access) => (access === undefined ? null : JSON.stringify(access)));
    const { at, sdk = null, seq, until = null, strands } = made;
    // Also where the same are required as before: that it is there says that such a change is to be counted.
    const required = strands ? JSON.stringify(before.argumentsSchema["required"] ?? []) : null;
    const app = this.apps.numberOf(after.appId);
    this.insert.run(app, after.name, at, ...texts, sdk, seq, until, closes ? 0 : 1, required);
    this.removeOld.run({ app, event: after.name });
  }

  /** The earliest of an event's changes that is under way. */
  underWay(appId: string, event: string): ChangeUnderWay | undefined {
    return underWay(this.selectUnderWay.get(this.apps.numberOf(appId), event));
  }

  /** Any change under way: one that a stop of the core left behind. */
  leftBehind(): ChangeUnderWay | undefined {
    return underWay(this.selectAnyUnderWay.get());
  }

  /** Whether a subscription of another path than a tool is about to be ended by a closing, which is in force already. */
  isClosing({ app, event, number }: { readonly app: number; readonly event: string; readonly number: number }): boolean {
    return this.selectClosing.get(app, event, number, number) !== undefined;
  }

  /** Whether a change is about to look at a subscription. */
  isYetToReach({ app, event, number }: { readonly app: number; readonly event: string; readonly number: number }): boolean {
    return this.selectYetToReach.get(app, event, number, number) !== undefined;
  }

  /** Subscriptions numbered up to `position` are through, and so many of them ended. */
  step(change: ChangeUnderWay, position: number, ended: number): void {
    this.updateStep.run(position, ended, change.number);
    if (position >= change.until) this.updateDone.run(change.number);
  }

  /** Closings of these events that no publish was answered with. */
  untold(events: readonly EventRecord[]): readonly number[] {
    return this.ofEvents(events.filter(isClosed), this.selectUntold).map((row) => row.number);
  }

  /** Changes of these events' arguments that no publish was answered with. */
  uncounted(events: readonly EventRecord[]): readonly UncountedChange[] {
    return this.ofEvents(events, this.selectUncounted).map(({ number, app_id: appId, event }) => ({ number, appId, event }));
  }

  /** Which sets of arguments an event has required before the one of now. */
  requiredBefore(appId: string, event: string): readonly (readonly string[])[] {
    return this.selectRequired.all(this.apps.numberOf(appId), event).map((text) => JSON.parse(text) as string[]);
  }

  private ofEvents(events: readonly EventRecord[], select: Database.Statement<[number], ChangeRow>): readonly ChangeRow[] {
    const wanted = new Set(events.map((event) => `${event.appId}\n${event.name}`));
    const apps = [...new Set(events.map((event) => event.appId))].flatMap((appId) => this.apps.numberIfAny(appId) ?? []);
    return apps.flatMap((app) => select.all(app)).filter((row) => wanted.has(`${row.app_id}\n${row.event}`));
  }

  /** A change of arguments left so many live subscriptions unreachable, and a publish is answered with it. */
  count(number: number, unreachable: number): void {
    this.updateUnreachable.run(unreachable, number);
  }

  tell(number: number): void {
    this.updateTold.run(number);
  }

  find(number: number): { readonly event: string; readonly ended: number } | undefined {
    const row = this.selectOne.get(number);
    return row === undefined ? undefined : { event: row.event, ended: row.ended };
  }

  /** Newest first. */
  list(appId: string, limit: number): readonly AccessChange[] {
    const app = this.apps.numberIfAny(appId);
    return app === undefined ? [] : this.selectOf.all(app, limit).map(accessChange);
  }
}

/** Whether the author's own tools alone may subscribe. */
export function isClosed({ access }: Pick<EventRecord, "access">): boolean {
  return access?.length === 0;
}

function accessOf(text: string | null): readonly Access[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as Access[]);
}

function accessChange({ event, at, before, after, sdk, ended, unreachable }: ChangeRow): AccessChange {
  return { event, at, before: accessOf(before), after: accessOf(after), sdk: sdk ?? undefined, ended, unreachable: unreachable ?? 0 };
}

function underWay(row: ChangeRow | undefined): ChangeUnderWay | undefined {
  if (row === undefined || row.until === null) return undefined;
  const { number, app_id: appId, event, before, after, seq, position, until } = row;
  return { number, appId, event, before: accessOf(before), after: accessOf(after), seq, position, until };
}
