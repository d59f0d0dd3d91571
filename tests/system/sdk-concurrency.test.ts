import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { closedAfterTest } from "./sdk-support/closed-after-test.ts";
import { makeHost } from "./sdk-support/hosts.ts";
import { serveHandler, serveHttp } from "./sdk-support/links.ts";
import { startCoreWorld, ticketIdOf } from "./sdk-support/core-world.ts";

const CLIENTS = 20;
const CALLS = 10;
const META_2026 = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function callOnce(url: string, job: string, modern: boolean): Promise<{ readonly status: number; readonly answer: any }> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modern ? "2026-07-28" : "2025-11-25",
      ...(modern ? { "mcp-method": "tools/call", "mcp-name": "start_crawl" } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "start_crawl", arguments: { job }, ...(modern ? { _meta: META_2026 } : {}) },
    }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? text : (text.split("\n").find((line) => line.startsWith("data: ")) ?? "").slice(6);
  return { status: response.status, answer: JSON.parse(json) };
}

test.each([
  ["createMcpHandler, wrapped, 2025-11-25", "handler", false],
  ["createMcpHandler, registered through the attachment, 2026-07-28", "handler", true],
  ["1.x, one server a request", "1.x Server", false],
] as const)(
  "gives each of 200 parallel calls with the same id its own ticket: %s (PC-01)",
  async (_name, kind, modern) => {
    const world = closedAfterTest(await startCoreWorld(30_000));
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
    const run = async (job: string): Promise<object> => {
      await pause();
      await world.wake.currentCall().subscribe(world.crawlFinished, { job });
      await pause();
      return { content: [{ type: "text", text: job }] };
    };
    const wrap = { wrap: { start_crawl: [world.crawlFinished] } };
    const served =
      kind === "handler"
        ? await serveHandler(() => {
            const server = new McpServer({ name: "crawler", version: "1.0.0" });
            const inputSchema = z.strictObject({ job: z.string() });
            if (modern) {
              const options = { inputSchema, subscribes: [world.crawlFinished] };
              world.wake.attach(server).registerTool("start_crawl", options, ({ job }) => run(job) as never);
            } else {
              server.registerTool("start_crawl", { inputSchema }, ({ job }) => run(job) as never);
              world.wake.attach(server, wrap);
            }
            return server;
          })
        : await serveHttp(
            kind,
            () => {
              const server = makeHost(kind, [
                { name: "start_crawl", input: z.strictObject({ job: z.string() }), run: ({ job }) => run(job) },
              ]);
              world.wake.attach(server, wrap);
              return server;
            },
            false,
          );
    onTestFinished(() => served.close());
    const jobs = Array.from({ length: CLIENTS * CALLS }, (_each, index) => `job-${String(index)}`);
    const answers = await Promise.all(jobs.map((job) => callOnce(served.url, job, modern)));
    const tickets = new Map<string, string>();
    for (const [index, { status, answer }] of answers.entries()) {
      expect(status).toBe(200);
      expect(answer.id).toBe(1);
      const entries = answer.result._meta[SUBSCRIPTION_META_KEY];
      expect(entries).toHaveLength(1);
      expect(entries[0].arguments).toEqual({ job: jobs[index] });
      tickets.set(entries[0].ticket, jobs[index] ?? "");
    }
    expect(tickets.size).toBe(jobs.length);

    const emitted = await Promise.all(jobs.map(async (job) => ({ job, ...(await world.crawlFinished.emit({ job }, { status: job })) })));
    expect(emitted.every(({ matched }) => matched === 1)).toBe(true);
    const jobOf = new Map([...tickets].map(([ticket, job]) => [ticketIdOf(ticket), job]));
    const woken = new Map<string, unknown>();
    for (let round = 0; woken.size < jobs.length && round < jobs.length; round += 1) {
      for (const wake of (await world.next([...tickets.keys()])).wakes) {
        expect(wake.arguments).toEqual({ job: jobOf.get(wake.ticket_id) });
        expect(woken.has(wake.ticket_id)).toBe(false);
        woken.set(wake.ticket_id, wake.payload);
      }
    }
    expect(woken).toEqual(new Map([...jobOf].map(([id, job]) => [id, { status: job }])));
    expect(world.log).toEqual([]);
  },
  120_000,
);
