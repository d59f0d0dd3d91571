// What an author writes first. The package check compiles it against the packed packages, every declaration checked, and runs it.
import { McpServer } from "@modelcontextprotocol/server";
import { Wakeshift, WakeshiftError } from "@wakeshift/sdk";
import { z } from "zod";

const wake = new Wakeshift();

const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
});

const server = new McpServer({ name: "crawler", version: "1.0.0" });
wake
  .attach(server)
  .registerTool(
    "start_crawl",
    { description: "Crawl a site.", inputSchema: z.object({ url: z.string() }), subscribes: [crawlFinished] },
    async ({ url }, _context, call) => {
      await call.subscribe(crawlFinished, { job: url }, { once: true });
      return { content: [{ type: "text", text: "started" }] };
    },
  );

try {
  wake.currentCall();
  throw new Error("There is no call here, and none was missed.");
} catch (error) {
  if (!WakeshiftError.isInstance(error) || error.code !== "no_call") throw error;
}
