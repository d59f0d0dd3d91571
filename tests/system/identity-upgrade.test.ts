import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { startBridge, stopBridge } from "@wakeshift/bridge";
import { startCore } from "@wakeshift/core";
import { expect, onTestFinished, test } from "vitest";
import { startBridgeWorld, until } from "./bridge-support/bridge-world.ts";
import { AppClient } from "./core-support/core-client.ts";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { makeOlderDatabase } from "./core-support/older-database.ts";

/** The last schema without `identity`. */
const BEFORE_IDENTITY = 4;

test("a database and a bridge's folder from before cores had ids open as they are: subscriptions, tickets and a pending wake go on, and belong to the core from then on", async () => {
  const world = await startWorld();
  const bridge = await startBridgeWorld({ core: world });
  const [subscribed, other] = [await subscribe(world.app), await subscribe(world.app, { arguments: { job: "b" } })];
  await bridge.report([subscribed, other]);
  const pending = await emit(world.app);
  await until("the wake to be kept", async () => (await bridge.status()).pending.length === 1);

  await stopBridge(bridge.env);
  await world.core.close();
  const path = join(world.dataDir, "wakeshift.db");
  makeOlderDatabase(path, BEFORE_IDENTITY);
  const { home } = bridge;
  for (const file of [home.tickets, home.wakes, home.outbox].filter((each) => existsSync(each))) {
    const older = JSON.parse(readFileSync(file, "utf8"), (key: string, value: unknown) => (key === "coreId" ? undefined : value)) as object;
    writeFileSync(file, JSON.stringify(older));
  }
  rmSync(home.coreSecrets, { force: true });
  expect(readFileSync(home.tickets, "utf8")).toContain(subscribed.ticket);

  const core = await startCore({ port: world.core.port, dataDir: world.dataDir, logLevel: "error" });
  onTestFinished(() => core.close());
  await startBridge(bridge.env);
  const app = new AppClient(core.url, world.app.key, world.app.keyId);
  const again = await bridge.take({ taker: "taker-2" });
  expect(again.wake?.occurrences).toEqual([pending]);
  await bridge.outcome(again.wake?.delivery ?? "", "seen");
  const next = await emit(app);
  const taken = await bridge.take({ taker: "taker-2" });
  expect(taken.wake?.occurrences).toEqual([next]);
  await bridge.outcome(taken.wake?.delivery ?? "", "seen");
  await until("the acks to get through", async () => (await bridge.status()).unsent_acks === 0);

  // Once kept, an id stays: the next start is like any other.
  const database = new Database(path, { readonly: true });
  const id = database.prepare("SELECT id FROM identity").pluck().get() as string;
  database.close();
  expect(id).toMatch(/^core_[0-9a-f]{32}$/);
  const coreIds = (): unknown[] =>
    (JSON.parse(readFileSync(home.tickets, "utf8")) as { tickets: { coreId?: string }[] }).tickets.map(({ coreId }) => coreId);
  await until("the tickets to be the core's", () => coreIds().every((coreId) => coreId === id));

  expect((await bridge.call("POST", "/v1/end", { id: subscribed.id })).status).toBe(200);
  await until("the end to get through", async () => (await bridge.status()).unsent_acks === 0);
  const listed = await app.call("GET", "/event-subscriptions");
  expect(JSON.stringify(listed.body)).not.toContain(subscribed.id);
  const { wakes } = (await world.fetchJson("POST", "/api/wakes/v1/next", { holder: "another-holder-of-it", tickets: [subscribed.ticket] }))
    .body;
  expect(wakes).toEqual([]);
  await emit(app, { arguments: { job: "b" } });
  expect((await bridge.take({ taker: "taker-2" })).wake).not.toBeNull();
});
