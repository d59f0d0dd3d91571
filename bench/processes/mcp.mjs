// An author's MCP server over stdio with so many tools, one of which has an event: with Wakeshift attached, or bare.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [tools, kind] = [Number(process.argv[2]), process.argv[3]];
const server = new McpServer({ name: `bench-${tools}`, version: "1.0.0" });
// Described as servers in the field describe theirs: about a kilobyte each.
const inputSchema = z.object({
  url: z.string().describe("The page to begin with, an absolute http or https URL."),
  depth: z.number().optional().describe("How many links away from the first page to go; 1 by default."),
  include: z.array(z.string()).optional().describe("Only pages whose path matches one of these patterns."),
  format: z.enum(["markdown", "html", "text"]).optional().describe("How page contents are returned."),
  timeoutMs: z.number().optional().describe("How long to wait for one page, in milliseconds."),
});
const outputSchema = z.object({
  page: z.string().describe("The page's URL after redirects."),
  title: z.string().optional().describe("The page's title, if it has one."),
  links: z.array(z.string()).optional().describe("Where the page links to."),
});
const config = (name) => ({
  title: name,
  description: `Runs ${name} on a page and those it links to, and says what was found there. Use it before answering from memory.`,
  inputSchema,
  outputSchema,
});
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
