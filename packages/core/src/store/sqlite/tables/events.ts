import type Database from "better-sqlite3";
import type { Access } from "@wakeshift/protocol";
import type { EventRecord } from "../../store.ts";
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

/** Event definitions. */
export class Events {
  private readonly apps: Apps;
  private readonly upsert: Database.Statement;
  private readonly selectAll: Database.Statement<[number], EventRow>;
  private readonly selectOne: Database.Statement<[number, string], EventRow>;

  constructor(database: Database.Database, apps: Apps) {
    this.apps = apps;
    this.upsert = database.prepare(`INSERT OR REPLACE INTO events (app, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.selectAll = database.prepare(`SELECT ${COLUMNS} FROM events WHERE app = ? ORDER BY name`);
    this.selectOne = database.prepare(`SELECT ${COLUMNS} FROM events WHERE app = ? AND name = ?`);
  }

  /** Those that differ from what is stored. */
  changed(events: readonly EventRecord[]): readonly EventRecord[] {
    return events.filter((event) => this.find(event.appId, event.name)?.digest !== event.digest);
  }

  put(event: EventRecord): void {
    this.upsert.run(
      this.apps.numberOf(event.appId),
      event.name,
      event.description,
      JSON.stringify(event.argumentsSchema),
      JSON.stringify(event.payloadSchema),
      event.access === undefined ? null : JSON.stringify(event.access),
      JSON.stringify(event.tools),
      hashBytes(event.digest),
    );
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
