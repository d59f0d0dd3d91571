// What an author writes first. The package check compiles it against the packed packages, every declaration checked, and runs it.
import { McpServer } from "@modelcontextprotocol/server";
import { Wakeshift, WakeshiftError } from "@wakeshift/sdk";
import { attachTools } from "@wakeshift/sdk/tools";
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

const tools = attachTools(wake, {
  identify: ({ authInfo }) => {
    const subject = authInfo?.extra?.["sub"];
    return typeof subject === "string" ? { user: subject } : undefined;
  },
  wrap: { start_crawl: [crawlFinished] },
});
const [startCrawl] = await tools.list([{ name: "start_crawl", inputSchema: { type: "object" } }], {
  headers: { "user-agent": "consumer" },
});
if (!JSON.stringify(startCrawl).includes("session_key")) throw new Error("The tool in wrap wasn't amended.");
const { schema, handler } = tools.tool(
  "start_crawl",
  { description: "Crawl a site.", inputSchema: { url: z.string() }, subscribes: [crawlFinished] },
  ({ url }) => `crawling ${url}`,
);
schema.url.parse("https://example.com");
await handler({ url: "https://example.com" });

try {
  wake.currentCall();
  throw new Error("There is no call here, and none was missed.");
} catch (error) {
  if (!WakeshiftError.isInstance(error) || error.code !== "no_call") throw error;
}
