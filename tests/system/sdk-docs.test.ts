import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client as Client2, StreamableHTTPClientTransport as HttpClient2 } from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpClient1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/server";
import { ERROR_TABLE, SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import ts from "typescript";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { codeBlocks, modulesOf } from "../../tooling/docs/code-blocks.mjs";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import type { CoreWorld } from "./sdk-support/core-world.ts";
import { INFO } from "./sdk-support/hosts.ts";
import { serveRpc } from "./sdk-support/json-rpc.ts";
import { inMemory, serve, serveHandler } from "./sdk-support/links.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/** The page's JSON blocks, in order. */
function jsonBlocks(path: string): readonly any[] {
  return [...read(path).matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => JSON.parse(json ?? ""));
}

/** What differs from run to run, written as the page writes it. */
function masked(value: unknown): unknown {
  const json = JSON.stringify(value)
    .replaceAll(/\b(sub|wsk|wkt|app|core)_\w+/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "TIME")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "CORE");
  return JSON.parse(json);
}

test("docs/what-is-added.md shows what really is added to a tool and to a result", async () => {
  const [tool, listed, result, answered] = jsonBlocks("docs/what-is-added.md");
  const world = closedAfterTest(await startCoreWorld());
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", async () => {
    await world.wake.currentCall().subscribe(world.crawlFinished, { job: "j1" }, { once: true });
    return result;
  });
  world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
  const link = closedAfterTest(await inMemory("2.x Server", () => server, 2, "claude-code"));
  expect((await link.client.listTools()).tools[0]).toEqual(listed);
  expect(masked(await link.client.callTool({ name: "start_crawl", arguments: { url: "u" } }))).toEqual(masked(answered));
});

test("docs/troubleshooting.md has a part for each log code of the SDK, and a place for each error code", () => {
  const page = read("docs/troubleshooting.md");
  const sources = readdirSync(new URL("packages/sdk/src", ROOT), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => read(`packages/sdk/src/${path}`));
  const logged = sources.flatMap((source) =>
    [...source.matchAll(/level: "(warn|error)",\s*code: "(\w+)"/g)].map(([, level, code]) => `${String(code)} ${String(level)}`),
  );
  const told = [...page.matchAll(/^### (\w+)\n\nLevel `(\w+)`/gm)].map(([, code, level]) => `${String(code)} ${String(level)}`);
  expect(told.toSorted()).toEqual([...new Set(logged)].toSorted());
  expect(Object.keys(ERROR_TABLE).filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

/**
 * The module that a page's blocks make up around `mark`, as it stands there, with an app of a real core in its environment. That it
 * also compiles is the docs check's to tell.
 */
async function runBlocks(page: string, mark: string): Promise<{ readonly world: CoreWorld; readonly module: any }> {
  const world = closedAfterTest(await startCoreWorld());
  vi.stubEnv("WAKESHIFT_KEY", world.key);
  vi.stubEnv("WAKESHIFT_CORE", world.core.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { world, module: await import(pathToFileURL(moduleFile(page, mark)).href) };
}

/** That module as JavaScript. */
function moduleFile(page: string, mark: string): string {
  const code = modulesOf(codeBlocks(read(page)).blocks).filter((each) => each.includes(mark));
  expect(code).toHaveLength(1);
  // Inside the workspace, so that its packages are found.
  const tmp = fileURLToPath(new URL("tmp", ROOT));
  mkdirSync(tmp, { recursive: true });
  const work = mkdtempSync(join(tmp, "docs-run-"));
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  const { outputText } = ts.transpileModule(code[0] ?? "", {
    compilerOptions: { target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
  });
  const file = join(work, "block.mjs");
  writeFileSync(file, outputText);
  return file;
}

test("the quickstart's server says where it listens, subscribes there, and says in one sentence that its port is taken", async () => {
  const world = closedAfterTest(await startCoreWorld());
  const file = moduleFile("docs/quickstart.md", "createMcpHandler(makeServer)");
  const { url, close } = await serve((_request, response) => response.end());
  const port = new URL(url).port;
  const started = (): { readonly said: { out: string; err: string }; readonly code: Promise<number | null> } => {
    const env = { ...process.env, PORT: port, WAKESHIFT_KEY: world.key, WAKESHIFT_CORE: world.core.url };
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const said = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
    return { said, code: new Promise((resolve) => child.once("close", resolve)) };
  };
  const refused = started();
  expect([await refused.code, refused.said.out]).toEqual([1, ""]);
  expect(refused.said.err).toMatch(/^The crawler can't listen \(.*address already in use.*\)\. .+: PORT=N npx tsx server\.ts\n$/);
  await close();
  const { said } = started();
  await vi.waitFor(() => expect(said.out).toBe(`The crawler listens on http://127.0.0.1:${port}/mcp\n`), 20_000);
  const client = await connect("2.x client, 2026-07-28", `http://127.0.0.1:${port}/mcp`);
  const result = await client.callTool({ name: "start_crawl", arguments: { url: world.core.url } });
  const [entry] = result._meta[SUBSCRIPTION_META_KEY];
  // The page shows what an agent then reads.
  const [wake] = (await world.next([entry.ticket], 20_000)).wakes;
  expect(read("docs/quickstart.md")).toContain(`> ${String(wake?.text).replace("failed", "done")}\n`);
});

test("no page takes the OAuth client for the user: everybody who uses that program may have the same", () => {
  const pages = ["README.md", "packages/sdk/README.md"].concat(
    readdirSync(new URL("docs", ROOT), { recursive: true, encoding: "utf8" }).flatMap((page) =>
      page.endsWith(".md") ? [`docs/${page}`] : [],
    ),
  );
  const blocks = pages.flatMap((page) =>
    codeBlocks(read(page)).blocks.map(({ line, code }) => ({ place: `${page}:${String(line)}`, code })),
  );
  expect(blocks.length).toBeGreaterThan(15);
  expect(blocks.filter(({ code }) => code.includes("clientId")).map(({ place }) => place)).toEqual([]);
});

const CLIENTS = {
  "1.x client, 2025-11-25": (): any => new Client1(INFO),
  "2.x client, 2025-11-25": (): any => new Client2(INFO),
  "2.x client, 2026-07-28": (): any => new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
} as const;
type Which = keyof typeof CLIENTS;

async function connect(which: Which, url: string, user?: string): Promise<any> {
  const client = CLIENTS[which]();
  const headers: Record<string, string> = user === undefined ? {} : { authorization: `Bearer ${user}` };
  await client.connect(new (which.startsWith("1.x") ? HttpClient1 : HttpClient2)(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** A token of the one client that all users come by. */
const tokenOf = (headers: any): object => {
  const sub = String(headers.authorization).replace("Bearer ", "");
  return { token: sub, clientId: "https://agent.example/client.json", scopes: [], extra: { sub } };
};

/** Emits for the job of a result, and expects the conversation that was subscribed by it to get that. */
async function expectWoken(world: CoreWorld, result: any): Promise<void> {
  const [entry] = result._meta[SUBSCRIPTION_META_KEY];
  await world.crawlFinished.emit(entry.arguments, { status: "done" });
  expect((await world.next([entry.ticket])).wakes).toMatchObject([{ arguments: entry.arguments, payload: { status: "done" } }]);
}

const sessionOf = (result: any): string => /wsk_\w{32}/.exec(JSON.stringify(result.content))?.[0] ?? "";
const ELSEWHERE = "docs/tools-registered-elsewhere.md";

describe.each(Object.keys(CLIENTS) as Which[])("the page on tools registered elsewhere, by the official %s", (which) => {
  test("its low-level server lists, subscribes and wakes", async () => {
    const { world, module } = await runBlocks(ELSEWHERE, "createMcpHandler(makeServer)");
    const handler = toNodeHandler(module.handler);
    const client = await connect(which, closedAfterTest(await serve((request, response) => handler(request as never, response))).url);
    expect((await client.listTools()).tools[0].inputSchema.properties).toHaveProperty("session_key");
    await expectWoken(world, await client.callTool({ name: "start_crawl", arguments: { url: "u" } }));
  });

  test("its own runtime lists, subscribes and wakes, and keeps apart two users of one OAuth client", async () => {
    const { world, module } = await runBlocks(ELSEWHERE, "async function answer(");
    const answer = ({ method, params, headers }: any): unknown => module.answer(method, params ?? {}, headers, tokenOf(headers));
    const { url } = closedAfterTest(await serveRpc(answer));
    const ada = await connect(which, url, "ada");
    expect((await ada.listTools()).tools.map((tool: any) => tool.name)).toContain("start_crawl");
    const result = await ada.callTool({ name: "start_crawl", arguments: { url: "u" } });
    const bob = await connect(which, url, "bob");
    const listBy = async (client: any): Promise<string> =>
      JSON.stringify(await client.callTool({ name: "list_subscriptions", arguments: { session_key: sessionOf(result) } }));
    expect(await listBy(ada)).toContain("sub_");
    expect(await listBy(bob)).not.toContain("sub_");
    await expectWoken(world, result);
  });

  test.each(["2025-11-25", "2026-07-28"])("its proxy forwards to an upstream that it talks to by %s", async (behind) => {
    const { world, module } = await runBlocks(ELSEWHERE, "async function answer(");
    const seen: unknown[] = [];
    const upstreamServer = closedAfterTest(await serveHandler(() => hosted(seen)));
    const upstreamClient = await connect(`2.x client, ${behind}` as Which, upstreamServer.url);
    const upstream = (method: string, params: any): Promise<unknown> =>
      method === "tools/list" ? upstreamClient.listTools(params) : upstreamClient.callTool(params);
    const forward = ({ method, params, headers }: any): unknown => module.forward(method, params, headers, upstream, tokenOf(headers));
    const client = await connect(which, closedAfterTest(await serveRpc(forward)).url, "ada");
    expect((await client.listTools()).tools[0].inputSchema.properties).toHaveProperty("session_key");
    const result = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "none" } });
    expect(seen).toEqual([{ url: "u", job: expect.any(String) }]);
    expect(result._meta).toMatchObject({ "upstream/own": 1 });
    await expectWoken(world, result);
  });
});

/** A hosted server with one strict tool. */
function hosted(seen: unknown[]): Server {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  const properties = { url: { type: "string" }, job: { type: "string" } };
  const tool = { name: "start_crawl", inputSchema: { type: "object" as const, properties, additionalProperties: false } };
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", (request) => {
    seen.push(request.params.arguments);
    return { content: [{ type: "text", text: "started" }], _meta: { "upstream/own": 1 } };
  });
  return server;
}
