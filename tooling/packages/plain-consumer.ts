// What an author writes who has no schema library: the package check compiles it with our own declarations alone.
import { Wakeshift } from "@wakeshift/sdk";
import type { AttachOptions, Call, RequestContext } from "@wakeshift/sdk";
import { testingCore } from "@wakeshift/sdk/testing";

const core = testingCore();
const wake = new Wakeshift({ ...core.options });
const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
  payload: { type: "object" },
});

export const options: AttachOptions<RequestContext> = {
  identify: (context) => {
    const subject = context.http?.authInfo?.extra?.["sub"];
    return typeof subject === "string" ? { user: subject } : undefined;
  },
  wrap: { start_crawl: [crawlFinished] },
};

export function start(call: Call<typeof crawlFinished>, job: string): Promise<{ readonly state: string }> {
  return call.subscribe(crawlFinished, { job }, { once: true });
}

const { matched } = await crawlFinished.emit({ job: "1" }, { status: "done" });
if (matched !== 0 || core.wakes().length > 0) throw new Error("Nobody had subscribed.");
