import { join } from "node:path";
import Database from "better-sqlite3";

/** How many acks of an occurrence a core has on disk, one for each subscription: what it received, whatever the bridge says. */
export function receivedAcks(dataDir: string, occurrence: string): number {
  const database = new Database(join(dataDir, "wakeshift.db"), { readonly: true });
  try {
    const query = "SELECT count(*) FROM deliveries JOIN occurrences USING (seq) WHERE occurrences.id = ?";
    return database.prepare<[string], number>(query).pluck().get(occurrence) ?? 0;
  } finally {
    database.close();
  }
}
