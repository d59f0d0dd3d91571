import type Database from "better-sqlite3";
import { requiredNames } from "@wakeshift/protocol";
import type { Access } from "@wakeshift/protocol";
import { shapeOf } from "../../../engine/event/event-shape.ts";
import type { EventRecord, Hash } from "../../../engine/store.ts";
import type { Apps } from "./apps.ts";
import { hashBytes, hashText } from "./hash.ts";

interface EventRow {
  name: string;
  description: string;
  arguments_schema: string;
  payload_schema: string;
  access: string | null;
  tools: string;
  digest: Buffer;
}

const COLUMNS = "name, description, arguments_schema, payload_schema, access, tools, digest";

const MAX_DIGESTS = 10_000;

/** Event definitions. */
export class Events {
  private readonly apps: Apps;
  private readonly upsert: Database.Statement;
  private readonly updateClosed: Database.Statement<[number, number, string]>;
  private readonly insertRequirements: Database.Statement<[number, string, string]>;
  private readonly selectRequirements: Database.Statement<[number, string], string>;
  private readonly selectAll: Database.Statement<[number], EventRow>;
  private readonly selectOne: Database.Statement<[number, string], EventRow>;
  private readonly selectDigest: Database.Statement<[number, string], Buffer>;
  /** Digests by app and name, so that an emit costs no read. One process owns the file. */
  private readonly digests = new Map<string, Hash>();

  constructor(database: Database.Database, apps: Apps) {
    this.apps = apps;
    this.upsert = database.prepare(
      `INSERT INTO events (app, ${COLUMNS}, shape) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, name) DO UPDATE SET
       description = excluded.description, arguments_schema = excluded.arguments_schema, payload_schema = excluded.payload_schema,
       access = excluded.access, tools = excluded.tools, digest = excluded.digest, shape = excluded.shape`,
    );
    this.updateClosed = database.prepare("UPDATE events SET closed_through = ? WHERE app = ? AND name = ?");
    this.insertRequirements = database.prepare("INSERT OR IGNORE INTO former_requirements (app, event, required) VALUES (?, ?, ?)");
    this.selectRequirements = database
      .prepare<[number, string], string>("SELECT required FROM former_requirements WHERE app = ? AND event = ?")
      .pluck();
    this.selectAll = database.prepare(`SELECT ${COLUMNS} FROM events WHERE app = ? ORDER BY name`);
    this.selectOne = database.prepare(`SELECT ${COLUMNS} FROM events WHERE app = ? AND name = ?`);
    this.selectDigest = database.prepare<[number, string], Buffer>("SELECT digest FROM events WHERE app = ? AND name = ?").pluck();
  }

  /** Those that differ from what is stored. */
  changed(events: readonly EventRecord[]): readonly EventRecord[] {
    return events.filter((event) => this.find(event.appId, event.name)?.digest !== event.digest);
  }

  put(event: EventRecord): void {
    this.digests.delete(placeOf(event.appId, event.name));
    this.upsert.run(
      this.apps.numberOf(event.appId),
      event.name,
      event.description,
      JSON.stringify(event.argumentsSchema),
      JSON.stringify(event.payloadSchema),
      event.access === undefined ? null : JSON.stringify(event.access),
      JSON.stringify(event.tools),
      hashBytes(event.digest),
      shapeOf(event),
    );
  }

  /** What other paths than tools subscribed, up to the subscription of this number, receives nothing from now on. */
  closeThrough(appId: string, name: string, number: number): void {
    this.updateClosed.run(number, this.apps.numberOf(appId), name);
  }

  /** Keeps which arguments an event required, when it is about to require others. */
  keepRequirements({ appId, name, argumentsSchema }: EventRecord): void {
    const required = JSON.stringify([...requiredNames(argumentsSchema)].sort());
    this.insertRequirements.run(this.apps.numberOf(appId), name, required);
  }

  /** Which sets of arguments an event has required before. */
  formerRequirements(appId: string, name: string): readonly (readonly string[])[] {
    return this.selectRequirements.all(this.apps.numberOf(appId), name).map((text) => JSON.parse(text) as string[]);
  }

  /** Whether the event is the one that a write was decided from. */
  isAsDecided({
    appId,
    event,
    eventDigest,
  }: {
    readonly appId: string;
    readonly event: string;
    readonly eventDigest: Hash | undefined;
  }): boolean {
    if (eventDigest === undefined) return true;
    const place = placeOf(appId, event);
    if (this.digests.get(place) === eventDigest) return true;
    // Also where a transaction was undone after its digest was noted here: only what is read now tells.
    const app = this.apps.numberIfAny(appId);
    const stored = app === undefined ? undefined : this.selectDigest.get(app, event);
    if (stored === undefined) return false;
    if (this.digests.size >= MAX_DIGESTS) this.digests.clear();
    const digest = hashText(stored);
    this.digests.set(place, digest);
    return digest === eventDigest;
  }

  list(appId: string): readonly EventRecord[] {
    const app = this.apps.numberIfAny(appId);
    return app === undefined ? [] : this.selectAll.all(app).map((row) => eventRecord(appId, row));
  }

  find(appId: string, name: string): EventRecord | undefined {
    const app = this.apps.numberIfAny(appId);
    const row = app === undefined ? undefined : this.selectOne.get(app, name);
    return row === undefined ? undefined : eventRecord(appId, row);
  }
}

function placeOf(appId: string, name: string): string {
  return `${appId}\n${name}`;
}

function eventRecord(appId: string, row: EventRow): EventRecord {
  return {
    appId,
    name: row.name,
    description: row.description,
    argumentsSchema: JSON.parse(row.arguments_schema) as Record<string, unknown>,
    payloadSchema: JSON.parse(row.payload_schema) as Record<string, unknown>,
    access: row.access === null ? undefined : (JSON.parse(row.access) as Access[]),
    tools: JSON.parse(row.tools) as string[],
    digest: hashText(row.digest),
  };
}
