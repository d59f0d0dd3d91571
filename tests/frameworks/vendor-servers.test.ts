import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "../system/sdk-support/closed-after-test.ts";
import { startCoreWorld } from "../system/sdk-support/core-world.ts";
import { serve } from "../system/sdk-support/links.ts";
import { expectColdCallsToSubscribe } from "./support/as-on-node.ts";
import { callCold, startServer } from "./support/crawler-app.ts";
import { frameworkModules } from "./support/frameworks.ts";
import { freePort } from "./support/free-port.ts";
import { makePackedProject } from "./support/pack-sdk.ts";

const load = (set: "mcp-handler" | "fastmcp", ...path: readonly string[]): Promise<any> =>
  import(pathToFileURL(join(frameworkModules(set), ...path)).href);
const JOBS = Array.from({ length: 12 }, (_each, place) => `job-${String(place)}`);

test("a server in mcp-handler subscribes 12 cold calls at once, and an emit wakes the one it is for (PC-65)", async () => {
  const { createMcpHandler } = await load("mcp-handler", "mcp-handler", "dist", "index.mjs");
  const real = closedAfterTest(await startCoreWorld());
  const { wake, crawlFinished } = real;
  const handler = createMcpHandler((server: any) => {
    wake
      .attach(server)
      .registerTool(
        "start_crawl",
        { inputSchema: z.object({ job: z.string() }), subscribes: [crawlFinished] },
        async ({ job }, _context, call) => {
          await call.subscribe(crawlFinished, { job }, { once: true });
          return { content: [{ type: "text", text: `Crawl ${job} started.` }] };
        },
      );
  });
  const served = closedAfterTest(await serve(toNodeHandler({ fetch: handler }) as never));
  const entries = await Promise.all(JOBS.map((job) => callCold(new URL(served.url), job)));
  expect(await crawlFinished.emit({ job: "job-3" }, { status: "done" })).toMatchObject({ matched: 1 });
  expect((await real.next([entries[3].ticket])).wakes).toMatchObject([{ arguments: { job: "job-3" } }]);
  expect(real.log).toEqual([]);
});

test.each([false, true])(
  "a server in FastMCP subscribes in 12 sessions at once, and an emit wakes the one it is for, stateless: %s (PC-65)",
  async (stateless) => {
    const [{ FastMCP, FastMCPSession }, { Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      load("fastmcp", "fastmcp", "dist", "FastMCP.js"),
      load("fastmcp", "@modelcontextprotocol", "sdk", "dist", "esm", "client", "index.js"),
      load("fastmcp", "@modelcontextprotocol", "sdk", "dist", "esm", "client", "streamableHttp.js"),
    ]);
    const real = closedAfterTest(await startCoreWorld());
    const { wake, crawlFinished } = real;
    // As docs/frameworks.md says.
    const { connect } = FastMCPSession.prototype;
    FastMCPSession.prototype.connect = function (this: any, transport: unknown): unknown {
      wake.attach(this.server, { wrap: { start_crawl: [crawlFinished] } });
      return connect.call(this, transport);
    };
    onTestFinished(() => {
      FastMCPSession.prototype.connect = connect;
    });
    const silent = Object.fromEntries(["debug", "error", "info", "log", "warn"].map((level) => [level, () => undefined]));
    const server = new FastMCP({ name: "crawler", version: "1.0.0", logger: silent });
    server.addTool({
      name: "start_crawl",
      description: "Crawl a site.",
      parameters: z.object({ job: z.string() }),
      execute: async ({ job }: { job: string }) => {
        await wake.currentCall().subscribe(crawlFinished, { job }, { once: true });
        return `Crawl ${job} started.`;
      },
    });
    const port = await freePort();
    await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1", stateless } });
    onTestFinished(() => server.stop());
    const clients = await Promise.all(
      JOBS.map(async () => {
        const client = new Client({ name: "test-client", version: "1.0.0" });
        await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${String(port)}/mcp`)));
        onTestFinished(() => client.close());
        return client;
      }),
    );
    const results = await Promise.all(
      clients.map((client, place) => client.callTool({ name: "start_crawl", arguments: { job: JOBS[place] } })),
    );
    const entries = results.map((result) => result._meta[SUBSCRIPTION_META_KEY][0]);
    expect(await crawlFinished.emit({ job: "job-3" }, { status: "done" })).toMatchObject({ matched: 1 });
    expect((await real.next([entries[3].ticket])).wakes).toMatchObject([{ arguments: { job: "job-3" } }]);
    const { tools } = await clients[0].listTools();
    expect(tools.map(({ name }: { name: string }) => name)).toContain("list_subscriptions");
    expect(real.log).toEqual([]);
  },
);

test("a NestJS server in a CommonJS project compiles, subscribes 12 cold calls at once, and wakes the one an emit is for (PC-61, PC-65)", () =>
  expectColdCallsToSubscribe(async (env) => {
    const folder = await makePackedProject("nest");
    await cp(fileURLToPath(new URL("fixtures/nest-app", import.meta.url)), folder, { recursive: true });
    await promisify(execFile)(process.execPath, [join(frameworkModules("nest"), "typescript", "bin", "tsc"), "-p", folder]);
    return startServer(folder, [process.execPath, "main.js"], env);
  }));
