import { join } from "node:path";
import { startCore } from "@wakeshift/core";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { AppClient } from "./core-support/core-client.ts";
import { CRAWL, SDK, emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { makeOlderDatabase } from "./core-support/older-database.ts";

/** The last schema in which a closing and its steps were rows of their own. */
const BEFORE_CLOSED_THROUGH = 6;

test("a database from before events kept what they are closed through opens as it is: tickets and what is pending go on, and a closing that was under way is in force", async () => {
  const open = { ...CRAWL, access: ["public"] };
  const world = await startWorld({}, [open]);
  const [tool, generic] = [await subscribe(world.app), await subscribe(world.app, {}, { tool: "subscribe_events" })];
  const pending = await emit(world.app);
  await world.core.close();
  const path = join(world.dataDir, "wakeshift.db");
  makeOlderDatabase(path, BEFORE_CLOSED_THROUGH);
  const older = new Database(path);
  older.exec(`UPDATE events SET access = '[]' WHERE name = '${CRAWL.name}';
    INSERT INTO access_changes (app, event, at, before, after, sdk, seq, position, until, ended, told)
    VALUES (1, '${CRAWL.name}', ${Date.now()}, '["public"]', '[]', 'typescript 0.11.0', 1, 0, 2, 0, 0)`);
  older.close();

  const core = await startCore({ port: world.core.port, dataDir: world.dataDir, logLevel: "error" });
  onTestFinished(() => core.close());
  const app = new AppClient(core.url, world.app.key, world.app.keyId);
  const next = async (ticket: string): Promise<any> =>
    (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: "holder-of-this-test", tickets: [ticket], wait_ms: 2_000 })).body;
  expect(await next(generic.ticket)).toMatchObject({ wakes: [], ended: [{ reason: "revoked" }] });
  expect((await next(tool.ticket)).wakes).toMatchObject([{ occurrence: pending }]);
  const later = await emit(app);
  expect((await next(tool.ticket)).wakes.map((wake: any) => wake.occurrence)).toContain(later);
  const { body } = await app.call("PUT", "/manifest", {
    sdk: SDK,
    events: [{ ...CRAWL, arguments: { ...CRAWL.arguments, required: [] } }],
  });
  expect(body).toMatchObject({ changed: true, closed: [{ name: CRAWL.name }] });
  const renewed = await subscribe(app);
  expect((await app.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] })).body.stranded).toEqual([{ name: CRAWL.name, live: 1 }]);
  expect(renewed.id).not.toBe(tool.id);
});
