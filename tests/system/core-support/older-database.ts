import { readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";

const MIGRATIONS = new URL("../../../packages/core/src/store/sqlite/migrations/", import.meta.url);

/** Rewrites a core's database as the first `version` migrations made it, with all the rows that one could hold. Nothing may have it open. */
export function makeOlderDatabase(path: string, version: number): void {
  const older = new Database(`${path}.older`);
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  for (const name of files.sort().slice(0, version)) older.exec(readFileSync(new URL(name, MIGRATIONS), "utf8"));
  older.prepare("ATTACH ? AS newer").run(path);
  older.pragma("foreign_keys = OFF");
  const tables = older.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all();
  for (const table of tables as string[]) {
    const select = `SELECT group_concat(name) FROM pragma_table_info('${table}', 'main') WHERE name IN (SELECT name FROM pragma_table_info('${table}', 'newer'))`;
    const columns = older.prepare(select).pluck().get() as string | null;
    if (columns === null) continue;
    older.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
  }
  older.pragma(`application_id = ${String(older.pragma("newer.application_id", { simple: true }))}`);
  older.pragma(`user_version = ${version}`);
  older.close();
  for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
  renameSync(`${path}.older`, path);
}
