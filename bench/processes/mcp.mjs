// An author's MCP server over stdio with so many tools, one of which has an event: with Wakeshift attached, or bare.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [tools, kind] = [Number(process.argv[2]), process.argv[3]];
const server = new McpServer({ name: `bench-${tools}`, version: "1.0.0" });
const inputSchema = z.object({ url: z.string(), depth: z.number().optional() });
const outputSchema = z.object({ page: z.string() });
const config = (name) => ({ description: `Runs ${name} on a page and says what was found there.`, inputSchema, outputSchema });
const run = ({ url }) => ({ content: [{ type: "text", text: url }], structuredContent: { page: url } });

if (kind === "attached") {
  const { Wakeshift } = await import("@wakeshift/sdk");
  const wake = new Wakeshift({ logger: () => undefined });
  const crawlFinished = wake.defineEvent("crawl.finished", {
    description: "A crawl finished",
    args: z.object({ job: z.string() }),
    payload: z.object({ status: z.string() }),
  });
  wake.attach(server).registerTool("start_crawl", { ...config("start_crawl"), subscribes: [crawlFinished] }, run);
} else server.registerTool("start_crawl", config("start_crawl"), run);
for (let number = 1; number < tools; number += 1) server.registerTool(`tool_${number}`, config(`tool_${number}`), run);
await server.connect(new StdioServerTransport());
