import type Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import type { AppRecord, Instant, KeyRecord } from "../../../engine/store.ts";

interface AppRow {
  id: string;
  name: string;
  created_at: number;
}

interface KeyRow {
  key_id: string;
  app_id: string;
  name: string;
  public_key: Buffer;
  created_at: number;
  revoked_at: number | null;
}

/** Apps and their keys. Read from the file each time: another process may have made or revoked a key just now. */
export class Apps {
  private readonly insertApp: Database.Statement;
  private readonly selectApps: Database.Statement<[], AppRow>;
  private readonly selectApp: Database.Statement<{ given: string }, AppRow>;
  private readonly selectNumber: Database.Statement<[string], number>;
  private readonly insertKey: Database.Statement;
  private readonly selectKeys: Database.Statement<[string], KeyRow>;
  private readonly selectKey: Database.Statement<[string], KeyRow>;
  private readonly updateRevoked: Database.Statement<[number, string]>;
  private readonly numbers = new Map<string, number>();

  constructor(database: Database.Database) {
    this.insertApp = database.prepare("INSERT INTO apps (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.selectApps = database.prepare("SELECT id, name, created_at FROM apps ORDER BY number");
    // An id before a name: an app can't take another's place by being called like it.
    this.selectApp = database.prepare(
      "SELECT id, name, created_at FROM apps WHERE id = :given OR name = :given ORDER BY id = :given DESC LIMIT 1",
    );
    this.selectNumber = database.prepare<[string], number>("SELECT number FROM apps WHERE id = ?").pluck();
    this.insertKey = database.prepare(
      "INSERT INTO keys (key_id, app, name, public_key, created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    );
    const key =
      "SELECT key_id, apps.id AS app_id, keys.name, public_key, keys.created_at, revoked_at FROM keys JOIN apps ON apps.number = keys.app";
    this.selectKeys = database.prepare(`${key} WHERE apps.id = ? ORDER BY keys.created_at, key_id`);
    this.selectKey = database.prepare(`${key} WHERE key_id = ?`);
    this.updateRevoked = database.prepare("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ?");
  }

  create(app: AppRecord): void {
    if (this.insertApp.run(app.id, app.name, app.createdAt).changes === 0) {
      throw new WakeshiftError("bad_request", `There is an app "${app.name}" already. Choose another name.`);
    }
  }

  list(): readonly AppRecord[] {
    return this.selectApps.all().map(appRecord);
  }

  find(idOrName: string): AppRecord | undefined {
    const row = this.selectApp.get({ given: idOrName });
    return row === undefined ? undefined : appRecord(row);
  }

  /** The app's number in the other tables. @throws WakeshiftError `bad_request` for an app that isn't there. */
  numberOf(appId: string): number {
    const known = this.numberIfAny(appId);
    if (known === undefined) throw new WakeshiftError("bad_request", `There is no app ${appId}.`);
    return known;
  }

  numberIfAny(appId: string): number | undefined {
    const known = this.numbers.get(appId) ?? this.selectNumber.get(appId);
    // Apps are never deleted, so a number stays good.
    if (known !== undefined) this.numbers.set(appId, known);
    return known;
  }

  addKey(key: KeyRecord): void {
    const app = this.numberOf(key.appId);
    const added = this.insertKey.run(key.keyId, app, key.name, Buffer.from(key.publicKey), key.createdAt, key.revokedAt ?? null);
    if (added.changes === 0) throw new WakeshiftError("bad_request", `There is a key ${key.keyId} already.`);
  }

  listKeys(appId: string): readonly KeyRecord[] {
    return this.selectKeys.all(appId).map(keyRecord);
  }

  findKey(keyId: string): KeyRecord | undefined {
    const row = this.selectKey.get(keyId);
    return row === undefined ? undefined : keyRecord(row);
  }

  revokeKey(keyId: string, at: Instant): boolean {
    return this.updateRevoked.run(at, keyId).changes > 0;
  }
}

function appRecord(row: AppRow): AppRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at };
}

function keyRecord(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    appId: row.app_id,
    name: row.name,
    publicKey: new Uint8Array(row.public_key),
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}
