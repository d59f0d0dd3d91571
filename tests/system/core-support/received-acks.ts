import { join } from "node:path";
import Database from "better-sqlite3";

/** When a core received the ack of an occurrence for each subscription, by the wall clock: what it has on disk, whatever the bridge says. */
export function receivedAcks(dataDir: string, occurrence: string): readonly number[] {
  const database = new Database(join(dataDir, "wakeshift.db"), { readonly: true });
  try {
    const query = "SELECT handed_at FROM deliveries JOIN occurrences USING (seq) WHERE occurrences.id = ?";
    return database.prepare<[string], number>(query).pluck().all(occurrence);
  } finally {
    database.close();
  }
}
