import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Wakeshift } from "../index.ts";
import { testingCore } from "./index.ts";
import type { TestingCore } from "./index.ts";

/** An author's server on a core for tests, with a client connected to it. */
async function crawler(core: TestingCore = testingCore(), timeoutMs = 5_000, clientName = "codex-mcp-client") {
  const wake = new Wakeshift({ ...core.options, timeoutMs });
  const crawlFinished = wake.defineEvent("crawl.finished", {
    description: "A crawl finished",
    args: z.object({ job: z.string() }),
    payload: z.object({ status: z.string() }),
    text: ({ status }, { job }) => `Crawl ${job}: ${status}`,
  });
  const server = new McpServer({ name: "crawler", version: "1.0.0" });
  wake.attach(server, { identify: () => ({ user: "ada" }) }).registerTool(
    "start_crawl",
    {
      inputSchema: z.object({ job: z.string(), does: z.enum(["works", "fails", "ends at once and fails"]).default("works") }),
      subscribes: [crawlFinished],
    },
    async ({ job, does }, _context, call) => {
      await call.subscribe(crawlFinished, { job }, { once: true, ttl: "1h" });
      if (does !== "works") {
        if (does !== "fails") await crawlFinished.emit({ job }, { status: "failed" });
        throw new Error("no such site");
      }
      return { content: [{ type: "text", text: "started" }] };
    },
  );
  const [there, here] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: clientName, version: "1.0.0" });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const start = (job: string, does = "works") => client.callTool({ name: "start_crawl", arguments: { job, does } });
  return { core, crawlFinished, start, client };
}

describe("a core for tests", () => {
  test("shows what a call subscribed, and whom an emit wakes", async () => {
    const { core, crawlFinished, start } = await crawler();
    expect(core.wakes()).toEqual([]);
    await start("j1");
    await start("j2");
    expect(core.subscriptions()).toMatchObject([
      {
        event: "crawl.finished",
        arguments: { job: "j1" },
        once: true,
        user: "ada",
        client: "codex-mcp-client",
        harness: "codex",
        tool: "start_crawl",
        via: "tool",
      },
      { arguments: { job: "j2" } },
    ]);
    const { matched, id } = await crawlFinished.emit({ job: "j1" }, { status: "done" });
    expect(matched).toBe(1);
    const [wake, ...others] = core.wakes();
    expect(others).toEqual([]);
    expect(wake).toMatchObject({
      event: "crawl.finished",
      arguments: { job: "j1" },
      payload: { status: "done" },
      text: "Crawl j1: done",
      occurrence: id,
    });
    expect(wake?.message).toMatch(/^\[Wakeshift\] crawl\.finished from Test .*\n.*\n> Crawl j1: done\npayload: \{"status":"done"\}$/);
    expect(core.subscriptions()).toMatchObject([{ arguments: { job: "j2" } }]);
    expect(core.log).toEqual([]);
  });

  test("waits for a wake, each given once", async () => {
    const { core, crawlFinished, start } = await crawler();
    await start("j1");
    await start("j2");
    const first = core.wake(crawlFinished);
    await crawlFinished.emit({ job: "j1" }, { status: "done" });
    expect((await first).arguments).toEqual({ job: "j1" });
    setTimeout(() => void crawlFinished.emit({ job: "j2" }, { status: "late" }), 5);
    expect((await core.wake("crawl.finished")).payload).toEqual({ status: "late" });
    await start("j3");
    await expect(core.wake(undefined, { timeoutMs: 5 })).rejects.toThrow(
      'Within 5 ms nobody was woken; subscribed are: crawl.finished {"job":"j3"}.',
    );
    await expect(core.wake("other.event", { timeoutMs: 0 })).rejects.toThrow("nobody was woken by other.event");
  });

  test("wakes nobody by a call that failed, also when the event came before the failure", async () => {
    const { core, start } = await crawler();
    expect(await start("j1", "fails")).toMatchObject({ isError: true });
    expect(core.subscriptions()).toEqual([]);
    const waiting = core.wake(undefined, { timeoutMs: 1_500 });
    await start("j2", "ends at once and fails");
    await expect(waiting).rejects.toThrow("nobody was woken; nothing is subscribed");
    expect(core.wakes()).toEqual([]);
  });

  test("lets time pass", async () => {
    const { core, crawlFinished, start } = await crawler();
    await start("j1");
    core.advance("59m");
    expect(core.subscriptions()).toHaveLength(1);
    core.advance(2 * 60_000);
    expect(core.subscriptions()).toEqual([]);
    expect(await crawlFinished.emit({ job: "j1" }, { status: "done" })).toMatchObject({ matched: 0 });
    expect(() => core.advance("soon")).toThrow(expect.objectContaining({ code: "bad_request" }));
  });

  test("serves several instances of one app", async () => {
    const core = testingCore({ appName: "Crawler" });
    const one = await crawler(core);
    const other = await crawler(core, 5_000, "claude-code");
    await one.start("j1");
    await other.start("j1");
    expect(await other.crawlFinished.emit({ job: "j1" }, { status: "done" })).toMatchObject({ matched: 2 });
    expect(core.wakes().map((wake) => wake.subscription.harness)).toEqual(["codex", "claude-code"]);
    expect(core.wakes()[0]?.message).toContain("from Crawler (app_test)");
  });

  test.each([
    ["down", "unreachable"],
    ["slow", "unreachable"],
    ["lost", "unreachable"],
    ["refused", "unauthorized"],
    ["full", "storage_full"],
  ] as const)("fails as told: %s is %s to a tool and to an emit, until it recovers", async (failure, code) => {
    const { core, crawlFinished, start, client } = await crawler(testingCore(), 500);
    core.fail(failure);
    expect(await start("j1")).toMatchObject({ isError: true });
    await expect(crawlFinished.emit({ job: "j1" }, { status: "done" })).rejects.toMatchObject({ code });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("start_crawl");
    core.recover();
    expect(await start("j2")).not.toHaveProperty("isError", true);
    await crawlFinished.emit({ job: "j2" }, { status: "done" });
    expect(await core.wake()).toMatchObject({ arguments: { job: "j2" } });
  });

  test("fails so many requests as told, and takes back a subscribe whose answer was lost", async () => {
    const { core, crawlFinished, start } = await crawler(testingCore(), 500);
    await crawlFinished.emit({ job: "j0" }, { status: "done" });
    core.fail("lost", 1);
    expect(await start("j1")).toMatchObject({ isError: true });
    expect(core.subscriptions()).toEqual([]);
    expect(await start("j1")).not.toHaveProperty("isError", true);
    core.fail("down", 1);
    expect(await start("j2")).not.toHaveProperty("isError", true);
    core.fail("full", 0);
    expect(await start("j3")).not.toHaveProperty("isError", true);
  });
});

test("the core for tests touches neither network nor disk", async () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = (await readdir(folder)).filter((name) => !name.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(4);
  for (const name of files) {
    const text = await readFile(`${folder}/${name}`, "utf8");
    expect(text, name).not.toMatch(/from "node:|process\.|globalThis|[^.#]\bfetch\(/);
  }
});
