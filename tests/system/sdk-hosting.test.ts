import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client as Client2, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as Server2 } from "@modelcontextprotocol/server";
import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { Wakeshift } from "@wakeshift/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { startCoreWorld } from "./sdk-support/core-world.ts";
import { HOST_KINDS, INFO, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { inMemory } from "./sdk-support/links.ts";

async function link(kind: HostKind, make: () => any): Promise<any> {
  return closedAfterTest(await inMemory(kind, make, kind.startsWith("1.x") ? 1 : 2)).client;
}

const STDIO_CRAWLER = fileURLToPath(new URL("./sdk-support/stdio-crawler.mjs", import.meta.url));

test.each(["2.x", "1.x"])("a stdio server on %s subscribes, is woken, and keeps its stdout to the protocol", async (line) => {
  const real = closedAfterTest(await startCoreWorld());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [STDIO_CRAWLER, line],
    env: { PATH: process.env["PATH"] ?? "", WAKESHIFT_KEY: real.key, WAKESHIFT_CORE: real.core.url },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const client = new Client2({ name: "codex-mcp-client", version: "1" });
  const errors: unknown[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["start_crawl", "unsubscribe_events", "list_subscriptions"]);
  const result: any = await client.callTool({ name: "start_crawl", arguments: { url: "u", session_key: "k", harness: "codex" } });
  expect(result.content[0].text).toBe('{"url":"u"}');
  await real.crawlFinished.emit({ job: "u" }, { status: "done" });
  expect((await real.next([result._meta[SUBSCRIPTION_META_KEY][0].ticket])).wakes).toHaveLength(1);
  expect(stderr).toContain("wrap_unknown_tool");
  expect(stderr).not.toContain(real.key);
  expect(errors).toEqual([]);
});

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("finds each of several running calls by its context where a queue lost the chain, and none without it (seed-24, seed-25, seed-26)", async () => {
    const made = await openWakeWorld();
    const jobs: (() => Promise<void>)[] = [];
    const woken: (() => void)[] = [];
    const server = makeHost(kind, [
      {
        name: "queued",
        input: z.object({ job: z.string() }),
        run: ({ job }, context) =>
          new Promise((resolve) => {
            jobs.push(async () => {
              expect(() => made.wake.currentCall()).toThrow(expect.objectContaining({ code: "no_call" }));
              await made.wake.currentCall(context).subscribe(made.crawlFinished, { job });
              resolve({ content: [{ type: "text", text: job }] });
            });
            woken.shift()?.();
          }),
      },
    ]);
    made.wake.attach(server, { wrap: { queued: [made.crawlFinished] } });
    const client = await link(kind, () => server);
    const calls = ["a", "b", "c"].map(async (job) => client.callTool({ name: "queued", arguments: { job } }));
    // The queue's worker: its async context is this test's, not that of any call.
    const failures: unknown[] = [];
    for (let done = 0; done < 3; done += 1) {
      while (jobs.length === 0) await new Promise<void>((resolve) => woken.push(resolve));
      await jobs
        .shift()?.()
        .catch((error: unknown) => failures.push(error));
    }
    expect(failures).toEqual([]);
    for (const result of await Promise.all(calls))
      expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: result.content[0].text } }]);
  });

  test("a proxy's low-level handlers forward to an upstream, which sees its own arguments and `_meta`, and whose `_meta` comes back with ours (PC-07, seed-106a)", async () => {
    if (kind.endsWith("McpServer")) return;
    const made = await openWakeWorld();
    const seen: any[] = [];
    const upstream = new Server2(INFO, { capabilities: { tools: {} } });
    upstream.setRequestHandler("tools/list", () => ({
      tools: [
        { name: "start_crawl", inputSchema: { type: "object", additionalProperties: false, properties: { job: { type: "string" } } } },
      ],
    }));
    upstream.setRequestHandler("tools/call", async (request, ctx) => {
      seen.push({ ...request.params, _meta: ctx.mcpReq._meta });
      for (const progress of [1, 2]) {
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: ctx.mcpReq._meta?.["progressToken"] as number, progress },
        });
      }
      return { content: [{ type: "text", text: "up" }], _meta: { "v/z": { deep: [1] } } };
    });
    const [upstreamSide, proxySide] = InMemoryTransport.createLinkedPair();
    const behind = new Client2({ name: "proxy", version: "1" });
    await Promise.all([upstream.connect(upstreamSide), behind.connect(proxySide)]);
    onTestFinished(() => behind.close());
    const proxy = makeHost(kind, [
      {
        name: "start_crawl",
        description: "Crawl",
        input: z.object({ job: z.string() }),
        run: async (args, context) => {
          await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
          const meta = context._meta ?? context.mcpReq._meta;
          const notify = context.sendNotification ?? context.mcpReq.notify;
          return behind.request({ method: "tools/call", params: { name: "start_crawl", arguments: args, _meta: meta } } as never, {
            onprogress: (progress) =>
              void notify({ method: "notifications/progress", params: { progressToken: meta.progressToken, ...progress } }),
          });
        },
      },
    ]);
    made.wake.attach(proxy, { wrap: { start_crawl: [made.crawlFinished] } });
    const client = await link(kind, () => proxy);
    const progress: any[] = [];
    const schema = kind.startsWith("1.x") ? [(await import("@modelcontextprotocol/sdk/types.js")).CallToolResultSchema] : [];
    const result = await client.request(
      { method: "tools/call", params: { name: "start_crawl", arguments: { job: "1", session_key: "k" }, _meta: { "x/y": 1 } } },
      ...schema,
      {
        onprogress: (each: any) => progress.push(each),
      },
    );
    expect(seen).toMatchObject([{ arguments: { job: "1" }, _meta: { "x/y": 1 } }]);
    expect(Object.keys(seen[0].arguments)).toEqual(["job"]);
    expect(result._meta).toMatchObject({ "v/z": { deep: [1] }, [SUBSCRIPTION_META_KEY]: [{ arguments: { job: "1" } }] });
    expect(progress.map((each) => each.progress)).toEqual([1, 2]);
  });

  test("a proxy that hands the client's `_meta` on as it is keeps progress token 0 both ways (PC-07)", async () => {
    if (kind.endsWith("McpServer")) return;
    const made = await openWakeWorld();
    const seen: any[] = [];
    const upstream = new Server2(INFO, { capabilities: { tools: {} } });
    upstream.setRequestHandler("tools/call", async (_request, ctx) => {
      const meta = ctx.mcpReq._meta;
      seen.push(meta);
      for (const progress of [1, 2])
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: meta?.["progressToken"] as number, progress },
        });
      return { content: [], _meta: { "v/z": { deep: [1] } } };
    });
    const [upstreamSide, proxySide] = InMemoryTransport.createLinkedPair();
    const behind = new Client2({ name: "proxy", version: "1" });
    await Promise.all([upstream.connect(upstreamSide), behind.connect(proxySide)]);
    onTestFinished(() => behind.close());
    const given: any[] = [];
    const proxy = makeHost(kind, [
      {
        name: "start_crawl",
        input: z.object({ job: z.string() }),
        run: async (args, context) => {
          await made.wake.currentCall().subscribe(made.crawlFinished, { job: args.job });
          const meta = context._meta ?? context.mcpReq._meta;
          given.push({ args, meta: structuredClone(meta) });
          behind.setNotificationHandler("notifications/progress", (notice) =>
            (context.sendNotification ?? context.mcpReq.notify)({ method: "notifications/progress", params: notice.params }),
          );
          return behind.request({ method: "tools/call", params: { name: "start_crawl", arguments: args, _meta: meta } } as never);
        },
      },
    ]);
    made.wake.attach(proxy, { wrap: { start_crawl: [made.crawlFinished] } });
    // Raw messages: a client of the SDK picks its token itself.
    const [proxyEnd, clientEnd] = (kind.startsWith("1.x") ? InMemory1 : InMemoryTransport).createLinkedPair();
    const received: any[] = [];
    const answered = (id: number): Promise<any> => vi.waitUntil(() => received.find((message) => message.id === id), { timeout: 45_000 });
    clientEnd.onmessage = (message: unknown) => received.push(message);
    await clientEnd.start();
    await proxy.connect(proxyEnd);
    onTestFinished(() => clientEnd.close());
    const send = (message: object): Promise<void> => clientEnd.send({ jsonrpc: "2.0", ...message } as never);
    const clientInfo = { name: "raw", version: "1" };
    await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
    await answered(1);
    await send({ method: "notifications/initialized" });
    const meta = { progressToken: 0, "x/y": 1 };
    await send({
      id: 2,
      method: "tools/call",
      params: { name: "start_crawl", arguments: { job: "1", session_key: "k" }, _meta: meta },
    });
    const { result } = await answered(2);
    expect(given).toEqual([{ args: { job: "1" }, meta }]);
    expect(seen).toEqual([meta]);
    const notices = received.filter((message) => message.method === "notifications/progress");
    expect(notices.map((notice) => notice.params)).toEqual([1, 2].map((progress) => ({ progressToken: 0, progress })));
    expect(result._meta).toMatchObject({ "v/z": { deep: [1] }, [SUBSCRIPTION_META_KEY]: [{ arguments: { job: "1" } }] });
  });
});

test("a call inside a call belongs to its own Wakeshift, and an unwrapped tool inside one has none", async () => {
  const outer = await openWakeWorld();
  const inner = await openWakeWorld();
  const errors: any[] = [];
  const innerServer = makeHost("2.x Server", [
    {
      name: "wrapped",
      run: async () => {
        expect(inner.wake.currentCall()).not.toBe(outer.wake.currentCall());
        await inner.wake.currentCall().subscribe(inner.crawlFinished, { job: "inner" });
        return { content: [] };
      },
    },
    {
      name: "plain",
      run: () => {
        for (const each of [inner.wake]) {
          try {
            each.currentCall();
          } catch (error) {
            errors.push(error);
          }
        }
        return { content: [] };
      },
    },
  ]);
  inner.wake.attach(innerServer, { wrap: { wrapped: [inner.crawlFinished] } });
  const innerClient = await link("2.x Server", () => innerServer);
  const outerServer = makeHost("2.x Server", [
    {
      name: "outer",
      run: async () => {
        await innerClient.callTool({ name: "wrapped", arguments: {} });
        await innerClient.callTool({ name: "plain", arguments: {} });
        await outer.wake.currentCall().subscribe(outer.crawlFinished, { job: "outer" });
        return { content: [] };
      },
    },
  ]);
  outer.wake.attach(outerServer, { wrap: { outer: [outer.crawlFinished] } });
  const result = await (await link("2.x Server", () => outerServer)).callTool({ name: "outer", arguments: {} });
  expect(result._meta[SUBSCRIPTION_META_KEY]).toMatchObject([{ arguments: { job: "outer" } }]);
  expect(errors).toMatchObject([{ code: "no_call" }]);
});

test("two copies of the package in one process find each other's calls' store, and keep apart what is whose", async () => {
  const made = await openWakeWorld();
  const folder = await mkdtemp(join(tmpdir(), "sdk-copy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const installed = fileURLToPath(new URL("../../packages/sdk/dist", import.meta.url));
  await cp(installed, join(folder, "dist"), { recursive: true, filter: (source) => !source.endsWith(".map") });
  // The maps aren't copied: a tool that looks for them would complain.
  for (const file of await readdir(join(folder, "dist"), { recursive: true })) {
    const path = join(folder, "dist", file);
    if (file.endsWith(".js")) await writeFile(path, (await readFile(path, "utf8")).replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
  const copy: { Wakeshift: typeof Wakeshift } = await import(pathToFileURL(join(folder, "dist", "index.js")).href);
  expect(copy.Wakeshift).not.toBe(made.wake.constructor);
  const other = new copy.Wakeshift({ logger: () => undefined });
  const server = makeHost("2.x Server", [
    {
      name: "a",
      run: (_args, context) => {
        expect(() => other.currentCall(context)).toThrow(expect.objectContaining({ code: "no_call" }));
        return { content: [{ type: "text", text: String(made.wake.currentCall(context) === made.wake.currentCall()) }] };
      },
    },
  ]);
  made.wake.attach(server, { wrap: { a: [made.crawlFinished] } });
  expect(() => other.attach(server)).toThrow(expect.objectContaining({ code: "already_attached" }));
  expect(await (await link("2.x Server", () => server)).callTool({ name: "a", arguments: {} })).toMatchObject({
    content: [{ text: "true" }],
  });
});

test("outside any call, currentCall throws no_call", async () => {
  const made = await openWakeWorld();
  for (const context of [undefined, null, {}, { signal: new AbortController().signal }, { mcpReq: {} }, 5]) {
    expect(() => made.wake.currentCall(context)).toThrow(expect.objectContaining({ code: "no_call" }));
  }
});

test("PC-61 the SDK is the same module by require and import", async () => {
  const script = `
    import { Wakeshift } from "@wakeshift/sdk";
    import { createRequire } from "node:module";
    console.log(createRequire(import.meta.url)("@wakeshift/sdk").Wakeshift === Wakeshift && new Wakeshift() instanceof Wakeshift);`;
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  expect(stdout).toBe("true\n");
});
