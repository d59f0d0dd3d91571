// What an author writes whose project is CommonJS. The package check compiles it by each way such a project finds modules, and runs it.
import { Wakeshift, WakeshiftError, emitNamed } from "@wakeshift/sdk";
import type { Call, LogEntry } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";
import { attachTools } from "@wakeshift/sdk/tools";

// Nest, and whoever else makes what they inject a class.
class CrawlerWakeshift extends Wakeshift {}

const core = testingCore();
const log: LogEntry[] = [];
const wake: Wakeshift = new CrawlerWakeshift({ ...core.options, logger: (entry) => log.push(entry) });
const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
  payload: { type: "object" },
});

export function start(call: Call<typeof crawlFinished>, job: string): Promise<{ readonly state: string }> {
  return call.subscribe(crawlFinished, { job }, { once: true });
}

async function run(): Promise<void> {
  const { matched } = await crawlFinished.emit({ job: "1" }, { status: "done" });
  const named = await emitNamed({ name: "crawl.finished", arguments: { job: "1" }, payload: {} }, core.options);
  if (matched !== 0 || named.matched !== 0) throw new Error("Nobody had subscribed.");
  const tools = attachTools(wake, { wrap: { start_crawl: [crawlFinished] } });
  const [startCrawl] = await tools.list([{ name: "start_crawl", inputSchema: { type: "object" } }], {});
  if (!JSON.stringify(startCrawl).includes("session_key")) throw new Error("The tool in wrap wasn't amended.");
  try {
    wake.currentCall();
  } catch (error) {
    if (WakeshiftError.isInstance(error) && error instanceof WakeshiftError && error.code === "no_call") return;
  }
  throw new Error("There is no call here, and none was missed.");
}

void run();
