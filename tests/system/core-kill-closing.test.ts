import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, startCore } from "@wakeshift/core";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { AppClient } from "./core-support/core-client.ts";
import { startCoreProcess } from "./core-support/core-process.ts";
import { ADMIN_TOKEN, CRAWL, SDK } from "./core-support/core-world.ts";
import { subscribeMany } from "./core-support/many-subscriptions.ts";

const KILLS = 4;
const OTHERS = 6_000;
const TOOLS = 400;
/** Ended by then at most: a kill between the write that notes that it was told and the answer would leave nobody told. */
const LATEST: number = OTHERS - 1_000;
const PATIENTLY = { timeout: 120_000, interval: 5 };

interface Left {
  readonly appId: string;
  readonly key: string;
  readonly keyId: string;
}

/** Leaves an app as an SDK from before the access rule did, with very many subscriptions to its event. */
async function leave(path: string): Promise<Left> {
  const core = await startCore({ port: 0, databasePath: path, logLevel: "silent" });
  const { app, key } = await createApp({ store: core.store, now: Date.now, randomBytes }, "Crawler");
  const client = new AppClient(core.url, key.key, key.keyId);
  expect((await client.call("PUT", "/manifest", { events: [CRAWL] })).status).toBe(200);
  await subscribeMany(client, { store: core.store, appId: app.id }, { tools: TOOLS, others: OTHERS });
  await core.close();
  return { appId: app.id, ...key };
}

/** What another process sees of a core's database. */
class Look {
  readonly #database: Database.Database;

  constructor(path: string) {
    this.#database = new Database(path, { readonly: true });
  }

  /** The one row that a statement gives. */
  row(sql: string): any {
    return this.#database.prepare(sql).get();
  }

  /** How many subscriptions the closing has ended; `undefined`: it hasn't begun. */
  ended(): number | undefined {
    if (this.row("SELECT 1 FROM access_changes") === undefined) return undefined;
    return this.row("SELECT count(*) AS ended FROM subscriptions WHERE ended_reason = 'revoked'").ended;
  }

  close(): void {
    this.#database.close();
  }
}

test(
  "killed with -9 at four moments of an upgrade's closing, it is in force at once after each, goes on to its end, ends all it has to and no more, and is stated to who publishes next (seed-273, seed-274, seed-276, seed-277, seed-278)",
  { timeout: 600_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "wakeshift-kill-closing-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const before = join(dir, "before.db");
    const left = await leave(before);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const path = join(dir, `${kill}.db`);
      copyFileSync(before, path);
      await killWhileClosing(path, left, kill === 0 ? 0 : Math.floor((LATEST * (kill + Math.random())) / KILLS), kill % 2 === 0);
      rmSync(path);
    }
  },
);

/** @param unaided - whether the closing goes on without another publish */
async function killWhileClosing(path: string, { appId, key, keyId }: Left, endedBefore: number, unaided: boolean): Promise<void> {
  const first = await startCoreProcess(path);
  const publish = (url: string): Promise<any> => new AppClient(url, key, keyId).call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
  const told: any[] = [];
  const look = new Look(path);
  const publishing = publish(first.url).then(
    ({ body }) => told.push(...body.closed),
    () => undefined,
  );
  await vi.waitFor(() => expect(look.ended() ?? -1).toBeGreaterThanOrEqual(endedBefore), PATIENTLY);
  await first.kill("SIGKILL");
  await publishing;
  look.close();

  const core = await startCoreProcess(path);
  const app = new AppClient(core.url, key, keyId);
  const again = new Look(path);
  try {
    const refused = { call: { client: "c", tool: "subscribe_events" }, name: CRAWL.name, arguments: { job: "a" } };
    expect((await app.post("/event-subscriptions", refused)).body.error.code).toBe("not_open");
    if (unaided) await vi.waitFor(() => expect(again.ended()).toBe(OTHERS), PATIENTLY);
    for (const { status, body } of await Promise.all([publish(core.url), publish(core.url)])) {
      expect(status).toBe(200);
      told.push(...body.closed);
    }
    expect(told.length).toBeGreaterThanOrEqual(2);
    for (const closing of told) expect(closing).toEqual({ name: CRAWL.name, ended: OTHERS });
    await vi.waitFor(() => expect(again.ended()).toBe(OTHERS), PATIENTLY);
    expect(again.row("SELECT count(*) AS changes, sum(ended) AS ended FROM access_changes")).toEqual({ changes: 1, ended: OTHERS });
    const live = "SELECT count(*) FROM subscriptions WHERE ended_at IS NULL";
    expect(
      again.row(
        `SELECT (${live} AND via = 'tool') AS tools, (${live}) AS live, (SELECT sum(live) FROM routes) AS counted,
         (SELECT count(*) FROM subscriptions WHERE ended_reason = 'revoked' AND via = 'subscribe_events') AS revoked`,
      ),
    ).toEqual({ tools: TOOLS, live: TOOLS, counted: TOOLS, revoked: OTHERS });
    const occurrence = await app.post("/events/emit", { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" } });
    expect(occurrence.body.matched).toBe(TOOLS);
    const record = await fetch(`${core.url}/api/admin/v1/apps/${appId}/access-changes`, {
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(((await record.json()) as any).access_changes).toMatchObject([{ event: CRAWL.name, before: null, after: [], ended: OTHERS }]);
  } finally {
    again.close();
    await core.kill("SIGKILL");
  }
}
