import type Database from "better-sqlite3";
import { WakeshiftError } from "@wakeshift/protocol";
import type { EmitInput, EmitResult, Instant } from "../../../engine/store.ts";
import type { Effects } from "../file/effects.ts";
import type { Apps } from "./apps.ts";
import { hashBytes } from "./hash.ts";
import type { Routes } from "./routes.ts";

/** What a claim reads of an occurrence. */
export interface OccurrenceRow {
  seq: number;
  id: string;
  event: string;
  arguments: string;
  payload: string;
  text: string;
  emitted_at: number;
}

/** What is to be known of an occurrence to tell whose it is. */
export interface EmittedRow {
  seq: number;
  app: number;
  event: string;
  arguments: string;
  routes: Buffer;
}

interface FirstRow {
  seq: number;
  matched: number;
  event: string;
  arguments: string;
}

const READ = "o.seq, o.id, o.event, o.arguments, o.payload, o.text, o.emitted_at";

/** Occurrences, and the (route, seq) entries that are every subscription's queue. */
export class Occurrences {
  private readonly apps: Apps;
  private readonly routes: Routes;
  private readonly insert: Database.Statement;
  private readonly insertEntry: Database.Statement<[Buffer, number]>;
  private readonly selectFirst: Database.Statement<[number, string], FirstRow>;
  private readonly selectStored: Database.Statement<[number], number>;
  private readonly selectPending: Database.Statement<[number, Buffer, number, number], OccurrenceRow>;
  private readonly selectAfter: Database.Statement<[number, number], EmittedRow>;
  private readonly selectRoutes: Database.Statement<[number], Buffer>;
  private readonly selectNewest: Database.Statement<[Buffer, number], OccurrenceRow>;
  private readonly selectOnRoute: Database.Statement<[number, string, Buffer], OccurrenceRow>;
  /** The newest seq given. Held here, since one process owns the file; gaps are harmless. */
  private newest: number;

  /** @param removedTo - the newest seq of those that were removed */
  constructor(database: Database.Database, apps: Apps, routes: Routes, removedTo: number) {
    this.apps = apps;
    this.routes = routes;
    this.insert = database.prepare(
      "INSERT INTO occurrences (seq, app, id, event, arguments, payload, text, emitted_at, matched, routes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, id) DO NOTHING",
    );
    this.insertEntry = database.prepare("INSERT INTO entries (route, seq) VALUES (?, ?) ON CONFLICT DO NOTHING");
    this.selectFirst = database.prepare("SELECT seq, matched, event, arguments FROM occurrences WHERE app = ? AND id = ?");
    this.selectStored = database.prepare<[number], number>("SELECT stored FROM stored_occurrences WHERE app = ?").pluck();
    this.selectPending = database.prepare(
      `SELECT ${READ} FROM entries e JOIN occurrences o ON o.seq = e.seq
       LEFT JOIN deliveries d ON d.seq = e.seq AND d.subscription = ?
       WHERE e.route = ? AND e.seq > ? AND d.seq IS NULL ORDER BY e.seq LIMIT ?`,
    );
    this.selectAfter = database.prepare("SELECT seq, app, event, arguments, routes FROM occurrences WHERE seq > ? ORDER BY seq LIMIT ?");
    this.selectRoutes = database.prepare<[number], Buffer>("SELECT routes FROM occurrences WHERE seq = ?").pluck();
    this.selectNewest = database.prepare(
      `SELECT ${READ} FROM entries e JOIN occurrences o ON o.seq = e.seq WHERE e.route = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT 1`,
    );
    this.selectOnRoute = database.prepare(
      `SELECT ${READ} FROM occurrences o JOIN entries e ON e.seq = o.seq WHERE o.app = ? AND o.id = ? AND e.route = ?`,
    );
    this.newest = Math.max(Number(database.prepare("SELECT max(seq) FROM occurrences").pluck().get() ?? 0), removedTo);
  }

  /** @param most - how many of one app are kept; `undefined`: any number. @throws WakeshiftError `storage_full`, `bad_request` (409) */
  emit(input: EmitInput, most: number | undefined, effects: Effects): EmitResult {
    const app = this.apps.numberOf(input.appId);
    const routes = input.routes.map(hashBytes);
    let matched = 0;
    for (const route of routes) matched += this.routes.live(route);
    const seq = this.newest + 1;
    const stored = this.insert.run(
      seq,
      app,
      input.id,
      input.event,
      input.arguments,
      input.payload,
      input.text,
      input.emittedAt,
      matched,
      Buffer.concat(routes),
    );
    if (stored.changes === 0) {
      const first = this.selectFirst.get(app, input.id);
      if (first === undefined) throw new Error("an occurrence that kept another from being stored is not there");
      assertSame(first, input);
      return { seq: first.seq, id: input.id, matched: first.matched, duplicate: true };
    }
    if (most !== undefined && (this.selectStored.get(app) ?? 0) > most) {
      throw new WakeshiftError(
        "storage_full",
        `This app has ${most} occurrences stored, the most that this core keeps of one app (WAKESHIFT_OCCURRENCES_PER_APP). Emit again when older ones are gone.`,
      );
    }
    this.newest = seq;
    for (const route of routes) this.insertEntry.run(route, seq);
    if (matched > 0) effects.emitted.push(...input.routes);
    return { seq, id: input.id, matched, duplicate: false };
  }

  /** In the order they were emitted, of all apps, after `seq`. */
  after(seq: number, limit: number): readonly EmittedRow[] {
    return this.selectAfter.all(seq, limit);
  }

  /** The routes of one occurrence, 32 bytes each; `undefined`: it isn't there. */
  routesOf(seq: number): Buffer | undefined {
    return this.selectRoutes.get(seq);
  }

  newestSeq(): number {
    return this.newest;
  }

  /** The occurrence of this id, if it is on the route. */
  onRoute(app: number, id: string, route: Buffer): OccurrenceRow | undefined {
    return this.selectOnRoute.get(app, id, route);
  }

  /** Oldest first: what is on the route after `cursor` and not handed to this subscription. */
  pending(subscription: number, route: Buffer, cursor: number, limit: number): readonly OccurrenceRow[] {
    return this.selectPending.all(subscription, route, cursor, limit);
  }

  /**
   * The seq of the newest occurrence of the route before `before` emitted since then that `wanted` accepts. Looks at `limit` of them;
   * `next`: where to go on, `undefined` at the end.
   */
  newestSince(
    route: Buffer,
    since: Instant,
    wanted: (row: OccurrenceRow) => boolean,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): { readonly found: number | undefined; readonly next: number | undefined } {
    let next = before;
    for (let looked = 0; looked < limit; looked += 1) {
      const row = this.selectNewest.get(route, next);
      if (row === undefined || row.emitted_at < since) return { found: undefined, next: undefined };
      if (wanted(row)) return { found: row.seq, next: undefined };
      next = row.seq;
    }
    return { found: undefined, next };
  }
}

/** An id names one occurrence. Taken for a duplicate, another one of the same id would be lost without a word. */
function assertSame(first: FirstRow, input: EmitInput): void {
  if (first.event === input.event && first.arguments === input.arguments) return;
  const difference = first.event === input.event ? "with other arguments" : `of ${first.event}`;
  throw new WakeshiftError(
    "bad_request",
    `The id ${input.id} was used for another occurrence: one ${difference}. Give each occurrence of this app an id of its own, for instance with the event's name in it.`,
    { status: 409 },
  );
}
