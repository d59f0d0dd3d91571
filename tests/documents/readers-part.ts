import type { CodeBlock } from "./code-blocks.ts";

/** What a document leaves to its reader around one block: the names it uses without making them. */
export interface ReadersPart {
  /** Something only this block says. */
  readonly mark: string;
  readonly before: string;
  readonly after: string;
  /** Where the block says in a comment that something of the reader's stands there. */
  readonly filled?: readonly [placeholder: string, code: string];
  /** The block is the body of a handler, not of a module. */
  readonly inFunction?: string;
}

const WAKE = `import { Wakeshift } from "@wakeshift/sdk";
import { z } from "zod";
const wake = new Wakeshift();
`;
const CRAWL = `${WAKE}const crawlFinished = wake.defineEvent("crawl.finished", {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
});
`;
const USER_OF = `function userOf(authInfo: unknown): string | undefined {
  return (authInfo as { extra?: { user?: string } } | undefined)?.extra?.user;
}
`;
const STARTED = `export const started: { url: string; job: string }[] = [];
`;
const START_CRAWL = `${STARTED}function startCrawl(url: string, job: string): void { started.push({ url, job }); }
`;
const SERVER = `import { Server } from "@modelcontextprotocol/server";
`;

/** By a name of our own for each block. */
export const READERS_PARTS = {
  lowLevelServer: {
    mark: "createMcpHandler(makeServer)",
    before: `${STARTED}async function startJob(url: string, job: string): Promise<void> { started.push({ url, job }); }
`,
    after: "export { wake, crawlFinished, handler };",
  },
  olderServer: {
    mark: "ListToolsRequestSchema",
    before: CRAWL,
    after: "export { wake, crawlFinished, lowServer };",
    filled: [
      "/* your catalog */",
      `{ name: "watch_crawl", description: "Watch a crawl.", inputSchema: { type: "object" as const, properties: { job: { type: "string" } } } }`,
    ],
  },
  ownRuntime: {
    mark: "async function answer(",
    before: `${CRAWL}${USER_OF}${START_CRAWL}`,
    after: "export { wake, crawlFinished, answer };",
  },
  proxy: {
    mark: "async function proxy(",
    before: `${CRAWL}${USER_OF}`,
    after: "export { wake, crawlFinished, proxy };",
  },
  proxyServer: {
    mark: "createMcpHandler(makeProxyServer)",
    before: `${CRAWL}${USER_OF}`,
    after: "export { wake, crawlFinished, proxyHandler, UPSTREAM };",
  },
  definitions: {
    mark: "xmcpTools",
    before: `${CRAWL}${USER_OF}${START_CRAWL}`,
    after: "export { wake, crawlFinished, xmcpTools, startCrawlTool };",
  },
  generated: {
    mark: "callGenerated",
    before: `${CRAWL}${SERVER}const generated = [{ name: "start_crawl", description: "Start a crawl", inputSchema: { type: "object" as const } }];
export const operations: Record<string, () => Promise<unknown>> = {};
const server = new Server({ name: "crawler", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", async () => ({ tools: generated }));
server.setRequestHandler("tools/call", async (request) => callGenerated(request.params.name, operations[request.params.name]!));
`,
    after: "export { wake, crawlFinished, server };",
  },
  replay: {
    mark: 'await startCrawl("https://example.com")',
    before: `${CRAWL}export const crawls: { start: (url: string) => Promise<string> } = { start: async () => "" };
function startCrawl(url: string): Promise<string> { return crawls.start(url); }
`,
    after: "export { wake, crawlFinished, handle };",
    inFunction: "async function handle(): Promise<void>",
  },
  shared: {
    mark: 'defineEvent("ci.finished"',
    before: `${WAKE}export const seen: { user: string; repo: string }[] = [];
async function canSeeRepo(authInfo: unknown, repo: string): Promise<boolean> {
  const user = (authInfo as { extra?: { user?: string } } | undefined)?.extra?.user ?? "";
  return user !== "" && seen.some((each) => each.user === user && each.repo === repo);
}
`,
    after: "export { wake, ciFinished };",
  },
  personal: {
    mark: 'defineEvent("game.turn"',
    before: WAKE,
    after: "export { wake, yourTurn };",
  },
  personalEmit: {
    mark: "await yourTurn.emit(",
    before: `${WAKE}const yourTurn = wake.defineEvent("game.turn", {
  description: "It's your move at a table",
  args: z.object({ table: z.string() }),
  payload: z.object({ toCall: z.number() }),
  personal: true,
});
`,
    after: "export { wake, yourTurn, emitTurn };",
    inFunction: "async function emitTurn(): Promise<void>",
  },
} as const satisfies Record<string, ReadersPart>;

export type BlockName = keyof typeof READERS_PARTS;

/** Puts the reader's part around a block. The block itself stays as it is in the document. */
export function moduleOf({ code }: CodeBlock, part: ReadersPart): string {
  const filled = part.filled === undefined ? code : code.replace(...part.filled);
  const body = part.inFunction === undefined ? filled : `${part.inFunction} {\n${filled}\n}`;
  return `${part.before}\n${body}\n\n${part.after}\n`;
}
