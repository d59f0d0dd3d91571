import { randomBytes } from "node:crypto";
import { formatAppKey } from "@wakeshift/protocol";
import { Wakeshift } from "@wakeshift/sdk";
import type { LogEntry } from "@wakeshift/sdk";
import { z } from "zod";
import type { PeerCore } from "./peer-core.ts";
import { startPeerCore } from "./peer-core.ts";

export const crawlFinishedOptions = {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
} as const;

/** One app with its peer core and its log. */
export interface WakeWorld {
  readonly peer: PeerCore;
  readonly wake: Wakeshift;
  readonly log: LogEntry[];
  readonly crawlFinished: ReturnType<typeof defineCrawlFinished>;
  close(): Promise<void>;
}

export function defineCrawlFinished(wake: Wakeshift) {
  return wake.defineEvent("crawl.finished", crawlFinishedOptions);
}

export async function startWakeWorld(timeoutMs = 20_000): Promise<WakeWorld> {
  const peer = await startPeerCore();
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ key: formatAppKey(randomBytes(32)), core: peer.url, logger: (entry) => log.push(entry), timeoutMs });
  return { peer, wake, log, crawlFinished: defineCrawlFinished(wake), close: () => peer.close() };
}
