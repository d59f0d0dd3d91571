import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { Call } from "@wakeshift/sdk";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, CreateTaskResultSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { closedAfterTest, openWakeWorld } from "./sdk-support/closed-after-test.ts";
import { HOST_KINDS, INFO, makeHost } from "./sdk-support/hosts.ts";
import type { HostKind } from "./sdk-support/hosts.ts";
import { LINKS, inMemory } from "./sdk-support/links.ts";
import type { LinkName } from "./sdk-support/links.ts";
import type { startWakeWorld } from "./sdk-support/wake-world.ts";

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

type Run = (call: Call, context: any, args: any) => unknown;

async function setup(kind: HostKind, run: Run, options: { link?: LinkName; output?: z.ZodType } = {}) {
  const world = await openWakeWorld();
  const make = (): any => {
    const server = makeHost(kind, [
      {
        name: "start_crawl",
        input: z.object({ url: z.string() }),
        ...(options.output === undefined ? {} : { output: options.output }),
        run: (args, context) => run(world.wake.currentCall(), context, args),
      },
    ]);
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  };
  const link =
    options.link === undefined ? await inMemory(kind, make, kind.startsWith("1.x") ? 1 : 2) : await LINKS[options.link](kind, make);
  onTestFinished(() => link.close());
  const call = (callOptions?: object): Promise<any> =>
    link.client.callTool(
      { name: "start_crawl", arguments: { url: "u" } },
      ...(kind.startsWith("1.x") ? [undefined, callOptions] : [callOptions]),
    );
  const callIds = (path: string): string[] => world.peer.to(path).map((request) => request.body["call_id"] ?? request.body["call"].call_id);
  const rolledBack = (): Promise<void> =>
    vi.waitFor(() => {
      expect(callIds("/event-subscriptions")).toHaveLength(1);
      expect(callIds("/event-subscriptions/rollback")).toEqual(callIds("/event-subscriptions"));
    }, 45_000);
  return { world, link, call, callIds, rolledBack };
}

const crawlOf = (world: Awaited<ReturnType<typeof startWakeWorld>>) => world.crawlFinished;

describe.each(HOST_KINDS.map((kind) => ({ kind })))("$kind", ({ kind }) => {
  test("ends the subscription of a call that throws (seed-121, seed-146)", async () => {
    const made = await setup(kind, async (call) => {
      await call.subscribe(crawlOf(made.world), { job: "1" });
      throw new Error("the crawl can't start");
    });
    const answer = await made.call().catch((error: unknown) => error);
    expect(JSON.stringify(answer instanceof Error ? answer.message : answer)).toContain("the crawl can't start");
    expect(answer._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
    // The rollback has got through by the time the client knows of the failure.
    expect(made.callIds("/event-subscriptions/rollback")).toEqual(made.callIds("/event-subscriptions"));
  });

  test("ends the subscription of a call that returns isError, and adds nothing (seed-122, seed-147)", async () => {
    const made = await setup(kind, async (call) => {
      await call.subscribe(crawlOf(made.world), { job: "1" });
      return { content: [{ type: "text", text: "no" }], isError: true };
    });
    expect(await made.call()).toMatchObject({ content: [{ type: "text", text: "no" }], isError: true });
    await made.rolledBack();
  });

  test.each([
    ["of the wrong shape", { content: [], structuredContent: { job: 5 } }],
    ["missing", { content: [{ type: "text", text: "x" }] }],
  ])("ends the subscription of a call whose output is %s (seed-148)", async (_what, result) => {
    const made = await setup(
      kind,
      async (call) => {
        await call.subscribe(crawlOf(made.world), { job: "1" });
        return result;
      },
      { output: z.object({ job: z.string() }) },
    );
    await made.link.client.listTools();
    const answer = await made.call().catch((error: unknown) => error);
    expect(answer instanceof Error || answer.isError).toBe(true);
    await made.rolledBack();
  });

  test("counts a result shaped { error } without isError as a success (seed-150)", async () => {
    const made = await setup(kind, async (call) => {
      await call.subscribe(crawlOf(made.world), { job: "1" });
      return { content: [], structuredContent: { error: "x" } };
    });
    expect((await made.call())._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    expect(made.callIds("/event-subscriptions/rollback")).toEqual([]);
  });

  test("ends the subscription of a canceled call at once, and refuses a later subscribe of it (seed-149)", async () => {
    const canceled = deferred<void>();
    const late = deferred<unknown>();
    const made = await setup(kind, async (call) => {
      await call.subscribe(crawlOf(made.world), { job: "1" });
      canceled.resolve();
      await made.rolledBack();
      late.resolve(await call.subscribe(crawlOf(made.world), { job: "2" }).catch((error: unknown) => error));
      return { content: [] };
    });
    const abort = new AbortController();
    // Ids begin at 0, and 1.x takes no cancel for that one: spend it.
    await made.link.client.listTools();
    const answer = made.call({ signal: abort.signal }).catch((error: unknown) => error);
    await canceled.promise;
    abort.abort("enough");
    await answer;
    expect(await late.promise).toMatchObject({ code: "no_call" });
    expect(made.callIds("/event-subscriptions")).toHaveLength(1);
  });

  test("refuses a subscribe after the result was handed on", async () => {
    const over = deferred<void>();
    const late = deferred<unknown>();
    const made = await setup(kind, (call) => {
      void over.promise.then(async () => {
        late.resolve(await call.subscribe(crawlOf(made.world), { job: "2" }).catch((error: unknown) => error));
      });
      return { content: [] };
    });
    await made.call();
    over.resolve();
    expect(await late.promise).toMatchObject({ code: "no_call" });
    expect(made.callIds("/event-subscriptions")).toEqual([]);
  });

  test("waits for a subscribe that the handler didn't await", async () => {
    const made = await setup(kind, (call) => {
      void call.subscribe(crawlOf(made.world), { job: "1" });
      return { content: [] };
    });
    expect((await made.call())._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
  });

  test("merges several subscriptions of one call, which all belong to one session", async () => {
    const made = await setup(kind, async (call) => {
      await Promise.all(["1", "2", "3", "2"].map((job) => call.subscribe(crawlOf(made.world), { job })));
      return { content: [], structuredContent: { a: 1 } };
    });
    const result = await made.call();
    expect(result._meta[SUBSCRIPTION_META_KEY].map((entry: any) => entry.arguments.job)).toEqual(["1", "2", "3"]);
    expect(result.structuredContent).toMatchObject({ a: 1, wakeshift: { arguments: { job: "3" }, subscriptions: [{}, {}, {}] } });
    const sessions = made.world.peer.to("/event-subscriptions").map((request) => request.body["call"].session);
    expect(sessions[0]).toBeUndefined();
    expect(new Set(sessions.slice(1)).size).toBe(1);
  });

  test("makes at most 16 subscriptions in one call, since no result carries more tickets", async () => {
    const made = await setup(kind, async (call) => {
      const states = [];
      for (let job = 0; job < 17; job += 1) states.push(await call.subscribe(crawlOf(made.world), { job: String(job) }));
      return { content: [{ type: "text", text: JSON.stringify(states.at(-1)) }] };
    });
    const result = await made.call();
    expect(result.content[0].text).toBe('{"state":"unavailable","reason":"limit"}');
    expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(16);
  });

  test("takes a subscription back out of the result when the same call unsubscribes it", async () => {
    const made = await setup(kind, async (call) => {
      await call.subscribe(crawlOf(made.world), { job: "1" });
      expect(await call.unsubscribe(crawlOf(made.world), { job: "1" })).toBe(true);
      return { content: [] };
    });
    expect((await made.call())._meta?.[SUBSCRIPTION_META_KEY]).toBeUndefined();
  });
});

describe.each(["createMcpHandler, 2025-11-25", "createMcpHandler, 2026-07-28"] as const)("%s", (link) => {
  test("keeps the subscription although the signal aborts behind every finished answer", async () => {
    const aborted = deferred<void>();
    const made = await setup(
      "2.x McpServer",
      async (call, context) => {
        context.mcpReq.signal.addEventListener("abort", () => aborted.resolve());
        await call.subscribe(crawlOf(made.world), { job: "1" });
        return { content: [] };
      },
      { link },
    );
    expect((await made.call())._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
    await aborted.promise;
    expect(made.callIds("/event-subscriptions/rollback")).toEqual([]);
  });
});

test("adds nothing to a result that asks the client first, and subscribes by the final one", async () => {
  const world = await openWakeWorld();
  const { McpServer, inputRequired } = await import("@modelcontextprotocol/server");
  const runs: number[] = [];
  const make = (): any => {
    const server = new McpServer({ name: "crawler", version: "1.0.0" });
    const attached = world.wake.attach(server);
    attached.registerTool("ask", { subscribes: [world.crawlFinished] }, async (_args, ctx, call) => {
      runs.push(1);
      await call.subscribe(world.crawlFinished, { job: "1" });
      if (ctx.mcpReq.inputResponses === undefined) {
        return inputRequired({
          inputRequests: {
            name: inputRequired.elicit({ message: "Which?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } }),
          },
        });
      }
      return { content: [{ type: "text", text: "done" }] };
    });
    return server;
  };
  const { serveHandler } = await import("./sdk-support/links.ts");
  const served = closedAfterTest(await serveHandler(make));
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "c", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { n: "x" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  onTestFinished(() => client.close());
  const result: any = await client.callTool({ name: "ask", arguments: {} });
  expect(runs).toHaveLength(2);
  expect(result._meta[SUBSCRIPTION_META_KEY]).toHaveLength(1);
  const ids = world.peer.to("/event-subscriptions").map((request) => request.body["call"].call_id);
  expect(world.peer.to("/event-subscriptions/rollback").map((request) => request.body["call_id"])).toEqual([ids[0]]);
});

test("adds nothing to a task's handle, and ends what the call had subscribed", async () => {
  const world = await openWakeWorld();
  const make = (): any => {
    const server = new Server(INFO, { capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "start_crawl", inputSchema: { type: "object" } }] }));
    server.setRequestHandler(CallToolRequestSchema, async () => {
      await world.wake.currentCall().subscribe(world.crawlFinished, { job: "1" });
      const now = new Date().toISOString();
      return { task: { taskId: "t1", status: "working", ttl: 1000, createdAt: now, lastUpdatedAt: now } };
    });
    world.wake.attach(server, { wrap: { start_crawl: [world.crawlFinished] } });
    return server;
  };
  const link = closedAfterTest(await inMemory("1.x Server", make, 1));
  const answer = await link.client.request(
    { method: "tools/call", params: { name: "start_crawl", arguments: {}, task: { ttl: 1000 } } },
    CreateTaskResultSchema,
  );
  expect(answer).toMatchObject({ task: { taskId: "t1" } });
  expect(answer._meta).toBeUndefined();
  expect(world.peer.to("/event-subscriptions/rollback").map((request) => request.body["call_id"])).toEqual(
    world.peer.to("/event-subscriptions").map((request) => request.body["call"].call_id),
  );
});

test("keeps rolling back in the background until the core has taken it", async () => {
  const made = await setup("2.x McpServer", async (call) => {
    await call.subscribe(crawlOf(made.world), { job: "1" });
    throw new Error("no");
  });
  let refused = 0;
  made.world.peer.intercept = (request, response) => {
    if (request.path !== "/event-subscriptions/rollback" || refused >= 2) return false;
    refused += 1;
    if (refused === 1) response.destroy();
    else response.writeHead(503, { "content-type": "text/html" }).end("<html>");
    return true;
  };
  await made.call();
  await vi.waitFor(() => expect(made.callIds("/event-subscriptions/rollback")).toHaveLength(3), { timeout: 45_000 });
  expect(new Set(made.callIds("/event-subscriptions/rollback")).size).toBe(1);
});

test("ends a subscribe whose answer got lost, although the call succeeds without it", async () => {
  const made = await setup("2.x McpServer", async (call) => {
    made.world.peer.intercept = (request, response) => {
      if (request.path !== "/event-subscriptions") return false;
      response.destroy();
      return true;
    };
    const failed = await call.subscribe(crawlOf(made.world), { job: "1" }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "unreachable" });
    made.world.peer.intercept = undefined;
    await call.subscribe(crawlOf(made.world), { job: "2" });
    return { content: [] };
  });
  const result = await made.call();
  expect(result._meta[SUBSCRIPTION_META_KEY].map((entry: any) => entry.arguments.job)).toEqual(["2"]);
  await vi.waitFor(() => expect(made.callIds("/event-subscriptions/rollback")).toEqual([made.callIds("/event-subscriptions")[0]]), 45_000);
});

test("a subscribe under way when the call is canceled is ended when it comes back", async () => {
  const asked = deferred<void>();
  const go = deferred<void>();
  const outcome = deferred<unknown>();
  const made = await setup("2.x McpServer", async (call) => {
    outcome.resolve(await call.subscribe(crawlOf(made.world), { job: "1" }).catch((error: unknown) => error));
    return { content: [] };
  });
  made.world.peer.intercept = async (request) => {
    if (request.path !== "/event-subscriptions") return false;
    asked.resolve();
    await go.promise;
    return false;
  };
  const abort = new AbortController();
  await made.link.client.listTools();
  const answer = made.call({ signal: abort.signal }).catch((error: unknown) => error);
  await asked.promise;
  abort.abort("enough");
  await made.rolledBack();
  go.resolve();
  await answer;
  expect(await outcome.promise).toMatchObject({ code: "no_call" });
});
