import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../exercise/manual-clock.ts";
import { openDatabase } from "./file/open-database.ts";
import { openSqliteApps } from "./open-sqlite-apps.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

function setup(): string {
  const folder = mkdtempSync(join(tmpdir(), "wakeshift-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "made", "on the way", "core.db");
}

test("PC-62 apps are made in a database that is there, and none is made for them", async () => {
  const path = setup();
  expect(() => openSqliteApps(path)).toThrow(expect.objectContaining({ code: "bad_request" }));
  expect(() => openSqliteApps(path)).toThrow(`There is no database at ${path}`);
  expect(existsSync(dirname(path))).toBe(false);
  await openSqliteStore({ path, clock: new ManualClock() }).close();
  const apps = openSqliteApps(path);
  await apps.createApp({ id: "app_a", name: "Crawler", createdAt: 1 });
  await apps.close();
  const store = openSqliteStore({ path, clock: new ManualClock() });
  expect(await store.findApp("Crawler")).toEqual({ id: "app_a", name: "Crawler", createdAt: 1 });
  await store.close();
});

test("syncs every commit: WAL with synchronous FULL on each open", () => {
  const path = setup();
  for (let opened = 0; opened < 2; opened += 1) {
    const database = openDatabase(path, 0);
    expect([database.pragma("journal_mode", { simple: true }), database.pragma("synchronous", { simple: true })]).toEqual(["wal", 2]);
    database.close();
  }
});

test("refuses another program's database, and leaves it as it was", () => {
  const path = setup();
  openDatabase(path, 0).close();
  const foreign = join(path, "..", "foreign.db");
  const other = new Database(foreign);
  other.exec("CREATE TABLE theirs (x)");
  other.close();
  expect(() => openSqliteStore({ path: foreign, clock: new ManualClock() })).toThrow(/database of another program/);
  const after = new Database(foreign);
  expect(after.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["theirs"]);
  expect(after.pragma("journal_mode", { simple: true })).toBe("delete");
  after.close();
});

test("refuses a file that a newer Wakeshift made, saying so", () => {
  const path = setup();
  const database = openDatabase(path, 0);
  database.pragma("user_version = 999");
  database.close();
  expect(() => openSqliteStore({ path, clock: new ManualClock() })).toThrow(/newer Wakeshift .*Update Wakeshift/);
  expect(() => openSqliteApps(path)).toThrow(/newer Wakeshift/);
});

/** Overwrites all of a database but its first page. */
function damage(path: string): void {
  openDatabase(path, 0).close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(statSync(path).size - 4_096, 0xa5), 0, undefined, 4_096);
  closeSync(file);
}

test.each<[string, (path: string) => void, RegExp]>([
  [
    "is not a database",
    (path) => writeFileSync(path, "Long enough to look like one at first sight. ".repeat(30)),
    /not a SQLite database.*backup/,
  ],
  ["is damaged", damage, /is damaged \(.+, SQLITE_CORRUPT.*\)\. Put a backup/],
])("a file that %s is named with the reason and what to do, since there is no log yet to look into", (_what, make, sentence) => {
  const path = setup();
  openDatabase(path, 0).close();
  const bad = join(path, "..", "bad.db");
  make(bad);
  for (const open of [() => openSqliteStore({ path: bad, clock: new ManualClock() }), () => openSqliteApps(bad)]) {
    expect(open).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(open).toThrow(sentence);
    expect(open).toThrow(bad);
  }
});

test("a failed open leaves no owner behind", async () => {
  const path = setup();
  openDatabase(path, 0).close();
  const text = join(path, "..", "text.db");
  writeFileSync(text, "This is not a database, but it is long enough to look like one at first sight.".repeat(20));
  expect(() => openSqliteStore({ path: text, clock: new ManualClock() })).toThrow(/not a SQLite database/);
  rmSync(text);
  await openSqliteStore({ path: text, clock: new ManualClock() }).close();
});

test("two stores in one process can't own one file", async () => {
  const path = setup();
  const store = openSqliteStore({ path, clock: new ManualClock() });
  expect(() => openSqliteStore({ path, clock: new ManualClock() })).toThrow(/Another Wakeshift core is running/);
  await store.close();
  await openSqliteStore({ path, clock: new ManualClock() }).close();
});

test.skipIf(process.platform === "win32")(
  "what it makes is this user's alone, however wide the umask: files 0600, folders 0700",
  async () => {
    const path = setup();
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    for (const open of [() => openSqliteStore({ path, clock: new ManualClock() }), () => openSqliteApps(path)]) {
      const opened = open();
      await opened.createApp({ id: `app_${open.toString().length}`, name: open.toString(), createdAt: 1 });
      const folder = dirname(path);
      const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
      expect(modes).toEqual(modes.map(([name]) => [name, "600"]));
      expect(modes.map(([name]) => name)).toEqual(expect.arrayContaining(["core.db", "core.db-shm", "core.db-wal"]));
      for (const made of [folder, dirname(folder)]) expect(statSync(made).mode & 0o777).toBe(0o700);
      await opened.close();
    }
    expect(statSync(`${path}.owner`).mode & 0o777).toBe(0o600);
  },
);

test("a database that others could read is for its user alone once it was opened, and another program's is left as it is", async () => {
  const path = setup();
  openDatabase(path, 0).close();
  chmodSync(path, 0o644);
  await openSqliteStore({ path, clock: new ManualClock() }).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);

  const foreign = join(dirname(path), "foreign.db");
  const other = new Database(foreign);
  other.exec("CREATE TABLE a (b)");
  other.close();
  chmodSync(foreign, 0o644);
  expect(() => openSqliteStore({ path: foreign, clock: new ManualClock() })).toThrow(/another program/);
  expect(statSync(foreign).mode & 0o777).toBe(0o644);
});

test("opening a file beside a core of the same process takes no lock away from it", async () => {
  const path = setup();
  const store = openSqliteStore({ path, clock: new ManualClock() });
  await openSqliteApps(path).close();
  expect(() => openSqliteStore({ path, clock: new ManualClock() })).toThrow(/Another Wakeshift core is running/);
  expect(() => openSqliteStore({ path, clock: new ManualClock() })).toThrow(/Another Wakeshift core is running/);
  await store.createApp({ id: "app_a", name: "Crawler", createdAt: 1 });
  await store.close();
});

test("says that a file can't be made", () => {
  const path = setup();
  openDatabase(path, 0).close();
  expect(() => openSqliteStore({ path: join(path, "..", "x".repeat(300)), clock: new ManualClock() })).toThrow(
    expect.objectContaining({ code: "bad_request" }),
  );
});
