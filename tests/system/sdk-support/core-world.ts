import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, startCore } from "@wakeshift/core";
import type { RunningCore } from "@wakeshift/core";
import type { NextAnswer, Wake } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { defineCrawlFinished } from "./wake-world.ts";

/** One app on a real core of its own. */
export interface CoreWorld {
  readonly core: RunningCore;
  readonly key: string;
  readonly wake: Wakeshift;
  readonly log: LogEntry[];
  readonly crawlFinished: ReturnType<typeof defineCrawlFinished>;
  /** Asks the wake API as one bridge would; `holder` is that bridge's secret. */
  next(tickets: readonly string[], waitMs?: number): Promise<NextAnswer>;
  ack(ticket: string, wake: Wake): Promise<void>;
  close(): Promise<void>;
}

export function ticketIdOf(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex").slice(0, 16);
}

export async function startCoreWorld(timeoutMs = 20_000): Promise<CoreWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), "sdk-core-"));
  const core = await startCore({ port: 0, dataDir, logLevel: "silent" });
  const { key } = await createApp({ store: core.store, now: Date.now, randomBytes }, "crawler");
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ key: key.key, core: core.url, logger: (entry) => log.push(entry), timeoutMs });
  const holder = randomBytes(32).toString("base64url");
  async function ask(path: string, body: object): Promise<any> {
    const answer = await fetch(`${core.url}/api/wakes/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ holder, ...body }),
    });
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
    return answer.json();
  }
  return {
    core,
    key: key.key,
    wake,
    log,
    crawlFinished: defineCrawlFinished(wake),
    next: (tickets, waitMs = 5_000) => ask("/next", { tickets, wait_ms: waitMs }),
    ack: async (ticket, wakeTaken) => {
      await ask("/ack", { acks: [{ ticket, occurrence: wakeTaken.occurrence, state: "handed" }] });
    },
    close: async () => {
      await core.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
