import type { WakeEvent, Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";

const crawlFinishedArguments = z.object({ job: z.string() });
const crawlFinishedPayload = z.object({ status: z.string(), pages: z.number().optional(), detail: z.string().optional() });

/** The one event of this app: a crawl, named by its job id, has ended. */
export type CrawlFinished = WakeEvent<typeof crawlFinishedArguments, typeof crawlFinishedPayload>;

/** Defines `crawl.finished`. Every process that subscribes to it or emits it defines it alike. */
export function defineCrawlFinished(wake: Wakeshift): CrawlFinished {
  return wake.defineEvent("crawl.finished", {
    description: "A crawl finished",
    args: crawlFinishedArguments,
    payload: crawlFinishedPayload,
  });
}
