import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AppClient, JsonAnswer } from "./core-support/core-client.ts";
import { CRAWL, emit, SDK, startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

test("no session key, ticket or app key is in any file of the core's data, in clear or in part of another field", async () => {
  const { app, dataDir, core } = await startWorld();
  const { session, ticket } = await subscribe(app);
  await core.close();
  const kept = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)));
  for (const secret of [session, ticket, app.key]) {
    expect(kept.some((bytes) => bytes.includes(secret) || bytes.includes(secret.slice(4)))).toBe(false);
  }
});

test("a consumer that acks nothing is handed 64 wakes of a subscription, and the next one for each ack", async () => {
  const { app, url, fetchJson } = await startWorld({ leaseMs: 600_000 });
  const [many, other] = [await subscribe(app, { arguments: { job: "many" } }), await subscribe(app, { arguments: { job: "other" } })];
  const stream = await (await WakeStream.open(url, "bridge", [many.ticket, other.ticket])).untilReady();
  const wakesOf = (id: string): any[] => stream.of("wake").filter(({ subscription }) => subscription === id);
  for (let count = 0; count < 100; count += 1) await emit(app, { arguments: { job: "many" } });
  await emit(app, { arguments: { job: "other" } });
  await stream.until(() => wakesOf(other.id).length === 1 && wakesOf(many.id).length >= 64);
  const [first] = wakesOf(many.id);
  await fetchJson("POST", "/api/wakes/v1/ack", {
    holder: "bridge",
    acks: [{ ticket: many.ticket, occurrence: first.occurrence, state: "handed" }],
  });
  await stream.until(() => wakesOf(many.id).length >= 65);
  await emit(app, { arguments: { job: "other" } });
  await stream.until(() => wakesOf(other.id).length === 2);
  expect(wakesOf(many.id)).toHaveLength(65);
  stream.close();
});

/** Time that a test lets pass, on both clocks, and calls of an app whose own clock goes along. */
function passingTime() {
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const emitAs = async (app: AppClient, id: string): Promise<JsonAnswer> => {
    const iat = Math.floor(clock.now() / 1_000);
    const authorization = `Bearer ${await app.assertion({ claims: { iat, exp: iat + 120 } })}`;
    const body = { name: CRAWL.name, arguments: { job: "a" }, payload: { status: "done" }, id };
    return app.call("POST", "/events/emit", body, authorization);
  };
  return { clock, emitAs, advance: (ms: number): void => void (passed += ms) };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test("a running core keeps an occurrence for seven days, and no longer", async () => {
  const { clock, emitAs, advance } = passingTime();
  const { app } = await startWorld({ clock });
  await emitAs(app, "old");
  advance(DAY);
  await emitAs(app, "young");
  advance(6 * DAY - HOUR);
  expect((await emitAs(app, "old")).body.duplicate).toBe(true);
  advance(2 * HOUR);
  await expect.poll(async () => (await emitAs(app, "old")).body.duplicate, { timeout: 30_000, interval: 200 }).toBe(false);
  expect((await emitAs(app, "young")).body.duplicate).toBe(true);
});

test("an app has as many occurrences stored as it may; its next emit is refused until an older one is gone, and nobody else's", async () => {
  const { clock, emitAs, advance } = passingTime();
  const { app, addApp, fetchJson } = await startWorld({ clock, occurrencesPerApp: 2 });
  const other = await addApp("Other");
  await other.call("PUT", "/manifest", { sdk: SDK, events: [CRAWL] });
  await emitAs(app, "one");
  advance(DAY);
  await emitAs(app, "two");
  const refused = await emitAs(app, "three");
  expect([refused.status, refused.body.error.code]).toEqual([503, "storage_full"]);
  expect(refused.body.error.message).toContain("2 occurrences");
  expect((await emitAs(app, "two")).body.duplicate).toBe(true);
  expect((await emitAs(other, "three")).body.duplicate).toBe(false);
  expect((await fetchJson("GET", "/readyz")).status).toBe(200);
  advance(6 * DAY + HOUR);
  await expect.poll(async () => (await emitAs(app, "three")).status, { timeout: 30_000, interval: 200 }).toBe(200);
  expect((await emitAs(app, "four")).body.error?.code).toBe("storage_full");
});
