import { McpServer, Server } from "@modelcontextprotocol/server";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Wakeshift } from "./index.ts";
import type { AnyEvent, Call, Subscription, WakeEvent } from "./index.ts";

const wake = new Wakeshift({ logger: () => undefined });
const args = z.object({ job: z.string(), page: z.number().default(1) });
const payload = z.object({ status: z.string() });
const finished = wake.defineEvent("crawl.finished", { description: "A crawl finished", args, payload });
const failed = wake.defineEvent("crawl.failed", { description: "A crawl failed", args, payload });
const plain = wake.defineEvent("plain.event", { description: "Plain", args: { type: "object" }, payload: { type: "object" } });

/** Compiled, never run: what it shows is what the compiler takes and refuses. */
function compileOnly(_run: () => unknown): void {
  expect(_run).toBeTypeOf("function");
}

test("the compiler refuses an event the tool doesn't declare (seed-29)", () => {
  const attached = wake.attach(new McpServer({ name: "a", version: "1" }));
  compileOnly(() =>
    attached.registerTool("one", { subscribes: [finished] }, async (_args, _context, call) => {
      expectTypeOf(await call.subscribe(finished, { job: "1" })).toEqualTypeOf<Subscription>();
      // @ts-expect-error crawl.failed has the same arguments and payload, and still isn't declared
      await call.subscribe(failed, { job: "1" });
      // @ts-expect-error nor may it be unsubscribed
      await call.unsubscribe(failed, { job: "1" });
      return { content: [] };
    }),
  );
  compileOnly(() =>
    attached.registerTool("two", { subscribes: [finished, failed] }, async (_args, _context, call) => {
      await call.subscribe(finished, { job: "1" });
      await call.subscribe(failed, { job: "1" });
      // @ts-expect-error not declared
      await call.subscribe(plain, {});
      return { content: [] };
    }),
  );
  compileOnly(() =>
    attached.registerTool("none", {}, async (_args, _context, call) => {
      // @ts-expect-error this tool declares nothing
      await call.subscribe(finished, { job: "1" });
      return { content: [] };
    }),
  );
});

test("the compiler checks arguments and payload", () => {
  compileOnly(async () => {
    await finished.emit({ job: "1" }, { status: "done" }, { id: "x", to: ["u"] });
    // @ts-expect-error job is a string
    await finished.emit({ job: 1 }, { status: "done" });
    // @ts-expect-error status is missing
    await finished.emit({ job: "1" }, {});
    // @ts-expect-error job is missing
    await wake.currentCall().subscribe(finished, {});
    await wake.currentCall().subscribe(plain, { anything: 1 });
    // @ts-expect-error a duration is text or milliseconds
    await wake.currentCall().subscribe(finished, { job: "1" }, { ttl: true });
  });
  compileOnly(() =>
    wake.defineEvent("a.b", {
      description: "x",
      args,
      payload,
      text: ({ status }, { job, page }) => `${job} ${status} ${page.toFixed()}`,
      authorize: async ({ user, authInfo, client, native }, { job }) => user === job && authInfo?.token !== client && !native,
    }),
  );
});

test("a tool's handler is typed by its schema and its SDK's context", () => {
  const attached = wake.attach(new McpServer({ name: "b", version: "1" }), {
    identify: (context) => {
      const subject = context.http?.authInfo?.extra?.["sub"];
      return typeof subject === "string" ? { user: subject } : undefined;
    },
  });
  const registered = attached.registerTool(
    "typed",
    { inputSchema: z.object({ url: z.string(), depth: z.number().default(1) }), subscribes: [finished] },
    async ({ url, depth }, context, call) => {
      expectTypeOf(url).toEqualTypeOf<string>();
      expectTypeOf(depth).toEqualTypeOf<number>();
      expectTypeOf(context.mcpReq.signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(call).toEqualTypeOf<Call<typeof finished>>();
      return { content: [{ type: "text", text: "x" }], structuredContent: { a: 1 } };
    },
  );
  registered.disable();
  attached.registerTool("shape", { inputSchema: { url: z.string(), depth: z.number().optional() } }, ({ url, depth }) => {
    expectTypeOf(url).toEqualTypeOf<string>();
    expectTypeOf(depth).toEqualTypeOf<number | undefined>();
    return { content: [] };
  });
  compileOnly(() =>
    // @ts-expect-error a handler answers a result
    attached.registerTool("nothing", {}, () => undefined),
  );
});

test("wrap takes any events, as an object or a function", () => {
  wake.attach(new Server({ name: "c", version: "1" }, { capabilities: { tools: {} } }), { wrap: { a: [finished, plain] } });
  wake.attach(new Server({ name: "d", version: "1" }, { capabilities: { tools: {} } }), {
    wrap: (tool) => (tool === "a" ? [failed] : undefined),
  });
  expectTypeOf(finished).toExtend<AnyEvent>();
  expectTypeOf(finished).toExtend<WakeEvent<typeof args, typeof payload>>();
  expectTypeOf(finished.name).toEqualTypeOf<"crawl.finished">();
  // @ts-expect-error not a server
  compileOnly(() => wake.attach({}));
});

test("defines each event once (seed-6)", () => {
  expect(() => wake.defineEvent("crawl.finished", { description: "again", args, payload })).toThrow(
    expect.objectContaining({ code: "bad_event" }),
  );
});

test("says that publishUrl isn't there yet", async () => {
  await expect(finished.publishUrl({ job: "1" })).rejects.toMatchObject({ code: "unsupported" });
});
