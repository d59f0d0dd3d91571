import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { Wakeshift } from "../index.ts";
import type { LogEntry } from "../index.ts";
import { attachTools } from "./index.ts";
import type { ZodShape } from "./index.ts";

function setup() {
  const log: LogEntry[] = [];
  const wake = new Wakeshift({ logger: (entry) => log.push(entry) });
  const options = { args: z.object({ job: z.string() }), payload: z.object({}) };
  const finished = wake.defineEvent("crawl.finished", { description: "Finished", ...options });
  const failed = wake.defineEvent("crawl.failed", { description: "Failed", ...options });
  return { log, wake, finished, failed, tools: attachTools(wake) };
}

describe("tools.tool", () => {
  test("gives the three parts a framework's file exports: shape, metadata and handler (seed-109, seed-110, seed-111, seed-114)", () => {
    const { tools, finished } = setup();
    const shape = Object.freeze({ url: z.string() });
    const definition = tools.tool(
      "start_crawl",
      { description: "Crawl a site", inputSchema: shape, subscribes: [finished], annotations: { readOnlyHint: false }, _meta: { a: 1 } },
      () => "x",
    );
    expect(Object.keys(definition)).toEqual(["schema", "metadata", "handler"]);
    expect(Object.keys(definition.schema)).toEqual(["url", "session_key", "harness", "conversation_id"]);
    expect(definition.schema.url).toBe(shape.url);
    expect(z.object(definition.schema).parse({ url: "u", harness: "codex" })).toEqual({ url: "u", harness: "codex" });
    expect(definition.metadata).toEqual({
      name: "start_crawl",
      description: expect.stringMatching(/^Crawl a site\. This tool is how the app notifies you of crawl\.finished/),
      annotations: { readOnlyHint: false },
      _meta: { a: 1 },
    });
  });

  test("adds the session key alone where the tool subscribes to nothing", () => {
    const { tools } = setup();
    const definition = tools.tool("plain", { description: "Plain." }, () => "x");
    expect(Object.keys(definition.schema)).toEqual(["session_key"]);
    expect(definition.metadata).toEqual({ name: "plain", description: "Plain." });
  });

  test("gives its handler the arguments, the framework's own context, and a call (seed-112, seed-113)", async () => {
    const { tools, finished, wake } = setup();
    const seen: any[] = [];
    const { handler } = tools.tool(
      "go",
      { description: "Go.", inputSchema: { url: z.string() }, subscribes: [finished] },
      (...received) => {
        seen.push(received, wake.currentCall(), wake.currentCall(received[1]));
        return "done";
      },
    );
    const extra = { signal: new AbortController().signal, requestId: 7 };
    expect(await handler({ url: "u", session_key: "k", harness: "h", conversation_id: "c" }, extra)).toEqual({
      content: [{ type: "text", text: "done" }],
    });
    const [[args, context, call], ...running] = seen;
    expect(args).toEqual({ url: "u" });
    expect(context).toBe(extra);
    expect(running).toEqual([call, call]);
    await expect(call.subscribe(finished, { job: "1" })).rejects.toMatchObject({ code: "no_call" });
    expect(await handler({ url: "u" })).toMatchObject({ content: [{ text: "done" }] });
  });

  test("has an output shape with room for the block, where one is given (seed-137)", () => {
    const { tools } = setup();
    const output = { job: z.string() };
    const { outputSchema = {} } = tools.tool("go", { description: "Go.", outputSchema: output }, () => ({ job: "1" }));
    expect(Object.keys(outputSchema)).toEqual(["job", "wakeshift"]);
    expect(z.strictObject(outputSchema as any).parse({ job: "1" })).toEqual({ job: "1" });
    const three = { job: z3.string() };
    const added = tools.tool("go", { description: "Go.", outputSchema: three }, () => ({ job: "1" })).outputSchema ?? {};
    expect(z3.object(added as any).parse({ job: "1", wakeshift: { state: "x" } })).toEqual({ job: "1", wakeshift: { state: "x" } });
  });

  test.each<[string, { readonly inputSchema?: ZodShape; readonly outputSchema?: ZodShape }]>([
    ["session_key", { inputSchema: { session_key: z.string() } }],
    ["harness", { inputSchema: { harness: z.string() } }],
    ["conversation_id", { inputSchema: { conversation_id: z.string() } }],
    ["wakeshift", { outputSchema: { wakeshift: z.string() } }],
  ])(
    "leaves a tool as it is that names %s itself, says so, and its call refuses (seed-140, seed-141, seed-142, seed-143, seed-144)",
    async (name, shapes) => {
      const { tools, finished, log } = setup();
      const refusals: unknown[] = [];
      const definition = tools.tool("own", { description: "Own", subscribes: [finished], ...shapes }, async (_args, _context, call) => {
        refusals.push(await call.subscribe(finished, { job: "1" }).catch((error: unknown) => error));
        refusals.push(await call.unsubscribe(finished, { job: "1" }).catch((error: unknown) => error));
        return { content: [], structuredContent: { wakeshift: "mine" } };
      });
      expect(definition.schema).toEqual(shapes.inputSchema ?? {});
      expect(definition.outputSchema).toEqual(shapes.outputSchema);
      expect(definition.metadata.description).toBe("Own");
      expect(log.filter(({ level }) => level === "error")).toMatchObject([
        { level: "error", code: "wrap_arg_conflict", tool: "own", message: expect.stringContaining(name) },
      ]);
      expect(await definition.handler({}, { signal: new AbortController().signal })).toMatchObject({
        structuredContent: { wakeshift: "mine" },
      });
      expect(refusals).toMatchObject([{ code: "no_call" }, { code: "no_call" }]);
    },
  );

  test("throws what its handler throws as the same thing (seed-121)", async () => {
    const { tools } = setup();
    const thrown = new Error("no");
    const { handler } = tools.tool("go", { description: "Go." }, () => {
      throw thrown;
    });
    expect(await handler({}).catch((error: unknown) => error)).toBe(thrown);
  });

  test("refuses to declare what is no event", () => {
    const { tools } = setup();
    expect(() => tools.tool("go", { description: "Go.", subscribes: [{} as never] }, () => "x")).toThrow(
      expect.objectContaining({ code: "bad_request" }),
    );
  });

  test("an author's own tool may bear a built-in's name, since the framework has it", async () => {
    const { tools } = setup();
    const { handler } = tools.tool("list_subscriptions", { description: "Mine." }, () => "mine");
    expect(await handler({})).toEqual({ content: [{ type: "text", text: "mine" }] });
  });

  test("the compiler types the arguments and refuses an event that isn't declared (seed-29)", () => {
    const { tools, finished, failed } = setup();
    tools.tool(
      "go",
      { description: "Go.", inputSchema: { url: z.string(), depth: z.number().optional() }, subscribes: [finished] },
      async (args, ctx, call) => {
        expectTypeOf(args).toEqualTypeOf<{ url: string } & { depth?: number | undefined }>();
        expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal | undefined>();
        await call.subscribe(finished, { job: args.url });
        // @ts-expect-error crawl.failed isn't declared
        await call.subscribe(failed, { job: "1" });
        return "x";
      },
    );
    tools.tool("go", { description: "Go." }, async (args, extra: { readonly requestId: number }, call) => {
      expectTypeOf(extra.requestId).toEqualTypeOf<number>();
      // @ts-expect-error there is no such argument
      expectTypeOf(args.url).toBeNever();
      // @ts-expect-error nothing is declared
      await call.subscribe(finished, { job: "1" });
      return 5;
    });
  });
});

describe("tools.builtins", () => {
  test("gives the built-in tools as definitions of the same kind, and no wait tool (seed-115)", async () => {
    const { tools, wake } = setup();
    expect(tools.builtins().map((each) => each.metadata.name)).toEqual(["unsubscribe_events", "list_subscriptions"]);
    wake.defineEvent("open.event", { description: "Open", args: z.object({ id: z.string() }), payload: z.object({}), public: true });
    const [subscribe, unsubscribe, list] = tools.builtins();
    expect(tools.builtins()).toHaveLength(3);
    const shape = z.object(subscribe?.schema as any);
    expect(shape.parse({ event: "open.event", arguments: { id: "1" }, harness: "codex" })).toBeTruthy();
    expect(shape.safeParse({ event: "crawl.finished" }).success).toBe(false);
    expect(Object.keys(unsubscribe?.schema ?? {})).toEqual(["id", "event", "arguments", "session_key"]);
    expect(list?.metadata.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(await list?.handler({})).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("session_key") }] });
  });

  test("gives one by its name, and refuses one that isn't served", () => {
    const { tools } = setup();
    expect(tools.builtins("list_subscriptions").metadata.name).toBe("list_subscriptions");
    for (const name of ["subscribe_events", "wait_for_events"]) {
      expect(() => tools.builtins(name as "subscribe_events")).toThrow(expect.objectContaining({ code: "bad_request" }));
    }
  });
});
