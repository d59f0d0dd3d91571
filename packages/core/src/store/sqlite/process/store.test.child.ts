import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import Database from "better-sqlite3";
import type { Store, StoreClock } from "../../../engine/store.ts";
import { openSqliteApps } from "../open-sqlite-apps.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";

// What other processes do to a store, for the process tests. `node store.test.child.js MODE DATABASE ARGUMENT`

const clock: StoreClock = { now: () => Date.now(), monotonic: () => performance.now() };
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Written at once, so that whoever kills this process has everything that was answered before. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

async function emitForEver(store: Store, round: string, subscriptionId: string): Promise<void> {
  let count = 0;
  const emitter = async (): Promise<void> => {
    for (;;) {
      const id = `${round}-${(count += 1)}`;
      await store.claimJti(`jti-${id}`, clock.now() + 120_000);
      await store.emit({
        appId: "app_a",
        event: "e",
        id,
        arguments: "{}",
        payload: JSON.stringify({ text: "x".repeat(300) }),
        text: "t",
        emittedAt: clock.now(),
        routes: [hashOf("route")],
        eventDigest: undefined,
      });
      say(`emitted ${id}`);
    }
  };
  const taker = async (): Promise<void> => {
    for (;;) {
      const { wakes } = await store.claim(subscriptionId, "taker", 5);
      const acks = wakes.map((wake) => ({ ticketHash: hashOf("ticket"), occurrenceId: wake.occurrenceId, state: "handed" as const }));
      await store.ack(acks, hashOf("holder"), clock.now());
      for (const wake of wakes) say(`acked ${wake.occurrenceId}`);
    }
  };
  await Promise.all([taker(), ...Array.from({ length: 32 }, emitter)]);
}

/** Holds a transaction until its standard input ends. */
function hold(path: string, statements: readonly string[]): void {
  const database = new Database(path, { timeout: 10_000 });
  for (const statement of statements) database.exec(statement);
  say("holding");
  process.stdin.once("end", () => {
    database.exec("COMMIT");
    database.close();
  });
  process.stdin.resume();
}

async function addKey(path: string): Promise<void> {
  const apps = openSqliteApps(path);
  await apps.addKey({
    keyId: "kid-other",
    appId: "app_a",
    name: "from another process",
    publicKey: new Uint8Array(32),
    createdAt: clock.now(),
    revokedAt: undefined,
  });
  await apps.close();
}

async function revokeKey(path: string): Promise<void> {
  const apps = openSqliteApps(path);
  await apps.revokeKey("kid-other", clock.now());
  await apps.close();
}

const [mode = "", path = "", argument = ""] = process.argv.slice(2);
switch (mode) {
  case "emit": {
    const [round = "", subscriptionId = ""] = argument.split(" ");
    await emitForEver(openSqliteStore({ path, clock }), round, subscriptionId);
    break;
  }
  case "hold-write":
    hold(path, ["BEGIN IMMEDIATE", "UPDATE meta SET value = value"]);
    break;
  case "hold-read":
    hold(path, ["BEGIN", "SELECT count(*) FROM apps"]);
    break;
  case "add-key":
    await addKey(path);
    break;
  case "revoke-key":
    await revokeKey(path);
    break;
  case "own":
    try {
      openSqliteStore({ path, clock });
      say("opened");
    } catch (error) {
      say(error instanceof Error ? error.message : "failed");
      process.exitCode = 1;
    }
    break;
  default:
    throw new Error(`no mode ${mode}`);
}
