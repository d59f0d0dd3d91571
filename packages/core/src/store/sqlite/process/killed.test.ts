import { randomBytes, randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { hashOf } from "../../exercise/world.ts";
import type { Store, StoreClock } from "../../../engine/store.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { startChild } from "./child.ts";

const clock: StoreClock = { now: () => Date.now(), monotonic: () => performance.now() };

async function subscribe(store: Store, name: string): Promise<string> {
  const id = `sub_${randomBytes(16).toString("hex")}`;
  const now = clock.now();
  await store.subscribe({
    id,
    appId: "app_a",
    event: "e",
    route: hashOf("route"),
    shape: '{"personal":false,"required":["job"]}',
    eventDigest: undefined,
    arguments: "{}",
    filter: "{}",
    user: undefined,
    client: "c",
    harness: undefined,
    newConversation: { id: name, sessionHash: hashOf(`session of ${name}`) },
    conversationId: undefined,
    via: "tool",
    tool: "t",
    callId: undefined,
    once: false,
    now,
    expiresAt: now + 3_600_000,
    replaySince: undefined,
    ticketHash: hashOf(name),
    limit: 100,
    callerLimit: 1_000_000,
  });
  return id;
}

/** Everything a subscription is offered, without acks. */
async function offered(store: Store, subscriptionId: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const { wakes } = await store.claim(subscriptionId, "reader", 1_000);
    if (wakes.length === 0) return ids;
    ids.push(...wakes.map((wake) => wake.occurrenceId));
  }
}

async function prepare(path: string): Promise<{ watching: string; taken: string }> {
  const store = openSqliteStore({ path, clock });
  await store.createApp({ id: "app_a", name: "A", createdAt: 1 });
  const watching = await subscribe(store, "watching");
  const taken = await subscribe(store, "ticket");
  await store.close();
  return { watching, taken };
}

test(
  "killed with -9 ten times under load, it has everything it answered, once, and opens again within 5 s (PC-37)",
  { timeout: 180_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "wakeshift-kill-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "core.db");
    const { watching, taken } = await prepare(path);
    const emitted = new Set<string>();
    const acked = new Set<string>();
    const openings: number[] = [];
    const open = (): Store => {
      const started = performance.now();
      const store = openSqliteStore({ path, clock });
      openings.push(performance.now() - started);
      return store;
    };
    for (let round = 0; round < 10; round += 1) {
      const child = startChild("emit", path, `r${round} ${taken}`);
      await child.said(200);
      await pause(randomInt(60));
      child.process.kill("SIGKILL");
      await child.gone;
      for (const line of child.lines) {
        const [what, id = ""] = line.split(" ");
        (what === "emitted" ? emitted : acked).add(id);
      }
      // Every other time the next start finds what the kill left.
      if (round % 2 === 1) await open().close();
    }
    const store = open();
    // All but the slowest: something else may have had the machine.
    expect(openings.sort((a, b) => a - b).at(-2)).toBeLessThan(5_000);
    const stored = await offered(store, watching);
    expect(new Set(stored).size).toBe(stored.length);
    const kept = new Set(stored);
    expect([...emitted].filter((id) => !kept.has(id))).toEqual([]);
    const again = await offered(store, taken);
    expect(again.filter((id) => acked.has(id))).toEqual([]);
    expect(acked.size).toBeGreaterThan(0);
    for (const id of emitted) expect(await store.claimJti(`jti-${id}`, clock.now() + 120_000)).toBe(false);
    await store.close();
    const database = new Database(path);
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    database.close();
  },
);
