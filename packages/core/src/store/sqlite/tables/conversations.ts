import type Database from "better-sqlite3";
import type { ConversationRecord, Hash, SubscribeInput } from "../../../engine/store.ts";
import { hashBytes } from "./hash.ts";

interface ConversationRow {
  id: string;
  app_id: string;
  user: string | null;
  client: string;
}

/** Conversations and the session keys that name them. */
export class Conversations {
  private readonly insert: Database.Statement;
  private readonly insertSession: Database.Statement<[Buffer, number, string]>;
  private readonly selectBySession: Database.Statement<[Buffer, string], ConversationRow>;
  private readonly selectApp: Database.Statement<[string], number>;
  private readonly selectAnew: Database.Statement<[Buffer, number], string>;

  constructor(database: Database.Database) {
    this.insert = database.prepare("INSERT INTO conversations (id, app, user, client, created_at) VALUES (?, ?, ?, ?, ?)");
    this.insertSession = database.prepare("INSERT INTO capabilities (hash, kind, app, target) VALUES (?, 'session', ?, ?)");
    this.selectBySession = database.prepare(
      `SELECT v.id, apps.id AS app_id, v.user, v.client FROM capabilities c JOIN conversations v ON v.id = c.target JOIN apps ON apps.number = v.app
       WHERE c.hash = ? AND c.kind = 'session' AND apps.id = ?`,
    );
    this.selectAnew = database
      .prepare<[Buffer, number], string>("SELECT target FROM capabilities WHERE hash = ? AND kind = 'session' AND app = ?")
      .pluck();
    this.selectApp = database.prepare<[string], number>("SELECT app FROM conversations WHERE id = ?").pluck();
  }

  create(input: SubscribeInput, app: number): string {
    const { id, sessionHash } = input.newConversation;
    this.insert.run(id, app, input.user ?? null, input.client, input.now);
    this.insertSession.run(hashBytes(sessionHash), app, id);
    return id;
  }

  /**
   * The conversation that a caller was found to have: this one, or, where it was removed since, the one that was made anew for its
   * session key. `undefined`: nobody made it anew yet.
   */
  going(app: number, id: string, { sessionHash }: SubscribeInput["newConversation"]): string | undefined {
    return this.selectApp.get(id) === app ? id : this.selectAnew.get(hashBytes(sessionHash), app);
  }

  find(appId: string, sessionHash: Hash): ConversationRecord | undefined {
    const row = this.selectBySession.get(hashBytes(sessionHash), appId);
    return row === undefined ? undefined : { id: row.id, appId: row.app_id, user: row.user ?? undefined, client: row.client };
  }
}
