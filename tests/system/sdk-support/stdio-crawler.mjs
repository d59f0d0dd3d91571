// An author's stdio server, started by a test as a process of its own: `node stdio-crawler.mjs 1.x|2.x`.
import { Wakeshift } from "@wakeshift/sdk";

const line = process.argv[2];
const wake = new Wakeshift();
const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: { type: "object", properties: { job: { type: "string" } }, required: ["job"], additionalProperties: false },
  payload: { type: "object" },
});
const tool = {
  name: "start_crawl",
  description: "Crawl a site",
  inputSchema: { type: "object", properties: { url: { type: "string" } }, required: ["url"], additionalProperties: false },
};

async function call(request) {
  await wake.currentCall().subscribe(crawlFinished, { job: request.params.arguments.url });
  return { content: [{ type: "text", text: JSON.stringify(request.params.arguments) }] };
}

async function makeServer() {
  const info = [{ name: "crawler", version: "1.0.0" }, { capabilities: { tools: {} } }];
  if (line === "2.x") {
    const { Server } = await import("@modelcontextprotocol/server");
    const server = new Server(...info);
    server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
    server.setRequestHandler("tools/call", call);
    return server;
  }
  const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const server = new Server(...info);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, call);
  return server;
}

const server = await makeServer();
// A name nobody lists makes a log line: it must not land on stdout, which is the protocol's.
wake.attach(server, { wrap: { start_crawl: [crawlFinished], mistyped: [crawlFinished] } });
const { StdioServerTransport } =
  line === "2.x" ? await import("@modelcontextprotocol/server/stdio") : await import("@modelcontextprotocol/sdk/server/stdio.js");
await server.connect(new StdioServerTransport());
