// Holds a read transaction on the given database, as a backup or a report would, until its parent says so.
import Database from "better-sqlite3";

const database = new Database(process.argv[2] ?? "", { readonly: true });
database.exec("BEGIN");
database.prepare("SELECT count(*) FROM apps").get();
process.send?.({ holding: true });
process.once("message", () => {
  database.exec("COMMIT");
  database.close();
  process.send?.({ released: true });
  process.disconnect();
});
