import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "../system/sdk-support/closed-after-test.ts";
import { startCoreWorld } from "../system/sdk-support/core-world.ts";
import { serve } from "../system/sdk-support/links.ts";
import { frameworkModules } from "./support/frameworks.ts";

const INFO = { name: "crawler", version: "1.0.0" };
const OURS = { session_key: "none", harness: "codex", conversation_id: "c" };
const load = (...path: readonly string[]): Promise<any> =>
  import(pathToFileURL(join(frameworkModules("ext-apps"), "@modelcontextprotocol", ...path)).href);
const sdk = (path: string): Promise<any> => load("sdk", "dist", "esm", path);

test.each([true, false])(
  "tools that a library registers on the author's 1.x McpServer are wrapped with all it adds to them, before and after attach, with sessions: %s (seed-20, seed-22)",
  async (sessions) => {
    const [{ registerAppTool }, { McpServer }, { Client }, { StreamableHTTPServerTransport }, { StreamableHTTPClientTransport }] =
      await Promise.all([
        load("ext-apps", "dist", "src", "server", "index.js"),
        ...["server/mcp.js", "client/index.js", "server/streamableHttp.js", "client/streamableHttp.js"].map(sdk),
      ]);
    const real = closedAfterTest(await startCoreWorld());
    const seen: unknown[] = [];
    const make = (): any => {
      const server = new McpServer(INFO);
      const register = (name: string): unknown =>
        registerAppTool(
          server,
          name,
          { description: "Crawl", inputSchema: { url: z.string() }, _meta: { ui: { resourceUri: "ui://crawl/view.html" } } },
          async (args: any) => {
            seen.push(args);
            await real.wake.currentCall().subscribe(real.crawlFinished, { job: args.url });
            return { content: [{ type: "text", text: "ok" }], _meta: { "library/own": 1 } };
          },
        );
      register("before");
      real.wake.attach(server, { wrap: { before: [real.crawlFinished], after: [real.crawlFinished] } });
      register("after");
      return server;
    };
    const kept = new Map<string, any>();
    const served = await serve(async (request, response) => {
      const known = kept.get(String(request.headers["mcp-session-id"]));
      if (known !== undefined) return known.handleRequest(request, response);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: sessions ? () => crypto.randomUUID() : undefined,
        onsessioninitialized: (id: string) => void kept.set(id, transport),
      });
      await make().connect(transport);
      return transport.handleRequest(request, response);
    });
    onTestFinished(() => served.close());
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    for (const name of ["before", "after"]) {
      const tool = tools.find((each: any) => each.name === name);
      expect(tool._meta).toMatchObject({ ui: { resourceUri: "ui://crawl/view.html" }, "ui/resourceUri": "ui://crawl/view.html" });
      expect(Object.keys(tool.inputSchema.properties)).toEqual(["url", ...Object.keys(OURS)]);
      const result = await client.callTool({ name, arguments: { url: name, ...OURS } });
      expect(seen.at(-1)).toEqual({ url: name });
      expect(result._meta).toMatchObject({ "library/own": 1 });
      const [entry] = result._meta[SUBSCRIPTION_META_KEY];
      await real.crawlFinished.emit({ job: name }, { status: "done" });
      expect((await real.next([entry.ticket])).wakes).toMatchObject([{ arguments: { job: name }, payload: { status: "done" } }]);
    }
    expect(real.log).toEqual([]);
  },
);
