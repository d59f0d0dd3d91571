// An author's stdio server, started by a test as a process of its own: `node stdio-host.mjs 1.x|2.x McpServer|Server connect|serveStdio`.
import { Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";

const [line, host, serving] = process.argv.slice(2);
const wake = new Wakeshift();
const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
});
const input = z.strictObject({ job: z.string() });
const info = { name: "crawler", version: "1.0.0" };

async function startCrawl(args, context) {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  const call = wake.currentCall();
  if (wake.currentCall(context) !== call) throw new Error("another call's context");
  await call.subscribe(crawlFinished, { job: args.job }, { once: true });
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  if (wake.currentCall() !== call) throw new Error("another call");
  return { content: [{ type: "text", text: JSON.stringify(args) }] };
}

async function makeServer() {
  const { McpServer, Server } =
    line === "2.x"
      ? await import("@modelcontextprotocol/server")
      : { ...(await import("@modelcontextprotocol/sdk/server/mcp.js")), ...(await import("@modelcontextprotocol/sdk/server/index.js")) };
  if (host === "McpServer") {
    const server = new McpServer(info);
    server.registerTool("start_crawl", { description: "Crawl a site", inputSchema: input }, startCrawl);
    wake.attach(server, { wrap: { start_crawl: [crawlFinished] } });
    return server;
  }
  const server = new Server(info, { capabilities: { tools: {} } });
  const list = () => ({
    tools: [{ name: "start_crawl", description: "Crawl a site", inputSchema: z.toJSONSchema(input, { io: "input" }) }],
  });
  const call = (request, context) => startCrawl(request.params.arguments, context);
  if (line === "2.x") {
    server.setRequestHandler("tools/list", list);
    server.setRequestHandler("tools/call", call);
  } else {
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    server.setRequestHandler(ListToolsRequestSchema, list);
    server.setRequestHandler(CallToolRequestSchema, call);
  }
  wake.attach(server, { wrap: { start_crawl: [crawlFinished] } });
  return server;
}

if (serving === "serveStdio") {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(makeServer);
} else {
  const { StdioServerTransport } =
    line === "2.x" ? await import("@modelcontextprotocol/server/stdio") : await import("@modelcontextprotocol/sdk/server/stdio.js");
  await (await makeServer()).connect(new StdioServerTransport());
}
