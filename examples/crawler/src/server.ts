import { createServer, type Server as HttpServer } from "node:http";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";
import { crawl, type CrawlReport } from "./crawl.ts";
import { defineCrawlFinished } from "./events.ts";

/** Where the example listens. */
export interface CrawlerOptions {
  /** 0 picks a free port. */
  readonly port: number;
}

/** A running example server. */
export interface RunningCrawler {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the example MCP server on loopback. It takes `WAKESHIFT_KEY` and `WAKESHIFT_CORE` from the environment. */
export async function startCrawler(options: CrawlerOptions): Promise<RunningCrawler> {
  const wake = new Wakeshift();

  const crawlFinished = defineCrawlFinished(wake);

  const report = (job: string, found: CrawlReport): Promise<unknown> => crawlFinished.emit({ job }, { ...found }, { id: `crawl-${job}` });

  function makeServer(): McpServer {
    const server = new McpServer({ name: "crawler", version: "1.0.0" });
    const attached = wake.attach(server);

    attached.registerTool(
      "start_crawl",
      { description: "Crawl a site.", inputSchema: z.object({ url: z.string() }), subscribes: [crawlFinished] },
      async ({ url }, _context, call) => {
        const job = randomUUID();
        // Subscribe before the work starts: a crawl that ends at once must still find its subscriber.
        await call.subscribe(crawlFinished, { job }, { once: true });
        void crawl(url, { maxPages: 10, pageTimeoutMs: 10_000 })
          .then((found) => report(job, found))
          .catch((error: unknown) => {
            console.error(`crawl ${job}: its result could not be emitted:`, error);
          });
        return { content: [{ type: "text", text: `Crawl ${job} started.` }] };
      },
    );

    attached.registerTool(
      "watch_crawl",
      {
        description: "Watch a crawl that is running already",
        inputSchema: z.object({ job: z.string(), once: z.boolean().optional() }),
        subscribes: [crawlFinished],
      },
      async ({ job, once }, _context, call) => {
        await call.subscribe(crawlFinished, { job }, { once: once === true });
        return { content: [{ type: "text", text: `Watching crawl ${job}.` }] };
      },
    );
    return server;
  }

  const handler = toNodeHandler(createMcpHandler(makeServer));
  // A web page must not reach this server through a name of its own that resolves to loopback.
  const hostIsLocal = localhostHostValidation();
  const originIsLocal = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
    if (request.url === "/mcp") void handler(request, response);
    else response.writeHead(404).end();
  });
  const port = await listen(http, options.port);
  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
}

function listen(http: HttpServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", () => {
      resolve((http.address() as AddressInfo).port);
    });
  });
}
