import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import ts from "typescript";
import { expect, onTestFinished, test, vi } from "vitest";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { serve } from "./sdk-support/links.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

const ROOT = new URL("../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/frameworks.md", ROOT), "utf8");

/** The page's parts with code, in its order: which headings' blocks make up a module, and how what that exports is served. */
const PARTS: Readonly<Record<string, { readonly shared: boolean; readonly listener: (module: any) => Listener }>> = {
  Express: { shared: true, listener: ({ app }) => app },
  Hono: { shared: true, listener: ({ hono }) => toNodeHandler({ fetch: async (request) => hono.fetch(request) }) as Listener },
  "Next.js": {
    shared: true,
    // As Next.js calls it, with a second argument that is no business of the handler's.
    listener: ({ GET, POST, DELETE }) => {
      const methods: Readonly<Record<string, (request: Request, context: object) => Promise<Response>>> = { GET, POST, DELETE };
      const context = { params: Promise.resolve({}), parsedBody: "not a body" };
      return toNodeHandler({
        fetch: async (request) => methods[request.method]?.(request, context) ?? new Response(null, { status: 405 }),
      }) as Listener;
    },
  },
  "Cloudflare Workers": { shared: true, listener: ({ default: worker }) => toNodeHandler(worker) as Listener },
  "MCP SDK 1.x": {
    shared: false,
    listener:
      ({ makeServer }) =>
      async (request, response) => {
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined } as never);
        await makeServer().connect(transport);
        await transport.handleRequest(request, response);
      },
  },
};

/** The code below a heading, or above the first one. */
function codeOf(heading?: string): string {
  const parts = PAGE.split(/^## /m);
  const part = heading === undefined ? parts[0] : parts.find((each) => each.startsWith(`${heading}\n`));
  const code = /^```ts.*?\n(.*?)^```$/ms.exec(part ?? "")?.[1];
  if (code === undefined) throw new Error(`docs/frameworks.md has no ts block below ${heading ?? "its title"}.`);
  return code;
}

async function importCode(code: string): Promise<any> {
  // Inside the workspace, so that its packages are found.
  const tmp = fileURLToPath(new URL("tmp", ROOT));
  mkdirSync(tmp, { recursive: true });
  const folder = mkdtempSync(join(tmp, "docs-run-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const compilerOptions = { target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true };
  const file = join(folder, "block.mjs");
  writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText);
  return import(pathToFileURL(file).href);
}

test.each(Object.entries(PARTS))("docs/frameworks.md: the server shown for %s lists, subscribes and wakes", async (heading, part) => {
  const world = closedAfterTest(await startCoreWorld());
  vi.stubEnv("WAKESHIFT_KEY", world.key);
  vi.stubEnv("WAKESHIFT_CORE", world.core.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const module = await importCode((part.shared ? codeOf() : "") + codeOf(heading));
  const { url } = closedAfterTest(await serve(part.listener(module)));
  const client: any = new Client({ name: "codex-mcp-client", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools[0].inputSchema.properties).toHaveProperty("session_key");
  const result = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "none" } });
  expect(result.isError ?? false).toBe(false);
  const [entry] = result._meta[SUBSCRIPTION_META_KEY];
  await world.crawlFinished.emit(entry.arguments, { status: "done" });
  expect((await world.next([entry.ticket])).wakes).toMatchObject([{ arguments: entry.arguments, payload: { status: "done" } }]);
});
