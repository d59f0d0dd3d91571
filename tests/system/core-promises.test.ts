import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emit, startWorld, subscribe } from "./core-support/core-world.ts";
import { WakeStream } from "./core-support/wake-stream.ts";

test("seed-181 no session key, ticket or app key is in any file of the core's data, in clear or in part of another field", async () => {
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
