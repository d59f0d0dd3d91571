// What an author writes on the MCP SDK 1.x. The package check compiles it against the packed packages, and so proves what the
// compiler refuses: each expected error below has to be one.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { Wakeshift } from "@wakeshift/sdk";
import type { Call } from "@wakeshift/sdk";
import { z } from "zod";

const wake = new Wakeshift();
const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
});
// The same shapes: only its name tells it from the other.
const crawlFailed = wake.defineEvent("crawl.failed", {
  description: "A crawl failed",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
});

const server = new McpServer({ name: "crawler", version: "1.0.0" });
const attached = wake.attach(server, {
  identify: (extra) => {
    const subject = extra.authInfo?.extra?.["sub"];
    return typeof subject === "string" ? { user: subject } : undefined;
  },
  wrap: { watch_crawl: [crawlFinished] },
});

attached.registerTool(
  "start_crawl",
  { description: "Crawl a site.", inputSchema: { url: z.string(), depth: z.number().default(1) }, subscribes: [crawlFinished] },
  async ({ url, depth }, extra, call) => {
    const typed: [string, number, RequestHandlerExtra<ServerRequest, ServerNotification>, Call<typeof crawlFinished>] = [
      url,
      depth,
      extra,
      call,
    ];
    await call.subscribe(crawlFinished, { job: url }, { once: true });
    // @ts-expect-error crawl.failed isn't declared
    await call.subscribe(crawlFailed, { job: url });
    // @ts-expect-error nor may it be unsubscribed
    await call.unsubscribe(crawlFailed, { job: url });
    // @ts-expect-error the event's arguments are checked, too
    await call.subscribe(crawlFinished, { job: 1 });
    // @ts-expect-error and so is the SDK's own context
    await extra.noSuchThing;
    // @ts-expect-error the tool's own have their types
    const wrong: number = url;
    return { content: [{ type: "text", text: `${typeof wrong} ${String(typed.length)}` }] };
  },
);

attached.registerTool("none", {}, async (_args, _extra, call) => {
  // @ts-expect-error this tool declares nothing
  await call.subscribe(crawlFinished, { job: "1" });
  return { content: [] };
});

// @ts-expect-error a handler answers a result
attached.registerTool("nothing", {}, () => undefined);

server.tool("watch_crawl", { job: z.string() }, async ({ job }, extra) => {
  await wake.currentCall(extra).subscribe(crawlFinished, { job });
  return { content: [] };
});

wake.attach(new Server({ name: "low", version: "1.0.0" }, { capabilities: { tools: {} } }), { wrap: { start_crawl: [crawlFinished] } });
