import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { z as z325 } from "zod-3";
import { z as z4in3 } from "zod-3/v4";
import * as mini from "zod/mini";
import { Wakeshift } from "./index.ts";
import type { AnyEvent, ArgumentsOf, Schema } from "./index.ts";
import { testingCore } from "./testing/index.ts";

const DESCRIPTION = "A crawl finished";
const offline = new Wakeshift({ logger: () => undefined });
const name = "crawl.finished";

/** The same event described by each library: a job, an optional page; a status, and a count with a default where there are some. */
const SCHEMAS = {
  "zod 4": {
    args: z.object({ job: z.string(), page: z.number().optional() }),
    payload: z.object({ status: z.string(), count: z.number().default(0) }),
  },
  "zod/mini": {
    args: mini.object({ job: mini.string(), page: mini.optional(mini.number()) }),
    payload: mini.object({ status: mini.string(), count: mini._default(mini.number(), 0) }),
  },
  "zod 3.25": {
    args: z325.object({ job: z325.string(), page: z325.number().optional() }),
    payload: z325.object({ status: z325.string(), count: z325.number().default(0) }),
  },
  "zod 4 inside zod 3.25": {
    args: z4in3.object({ job: z4in3.string(), page: z4in3.number().optional() }),
    payload: z4in3.object({ status: z4in3.string(), count: z4in3.number().default(0) }),
  },
  valibot: {
    args: toStandardJsonSchema(v.object({ job: v.string(), page: v.optional(v.number()) })),
    payload: toStandardJsonSchema(v.object({ status: v.string(), count: v.optional(v.number(), 0) })),
  },
  arktype: {
    args: type({ job: "string", "page?": "number" }),
    payload: type({ status: "string", count: "number = 0" }),
  },
} as const;

test("types arguments and payload from whichever Standard Schema library (seed-8, seed-9)", () => {
  interface Args {
    job: string;
    page?: number | undefined;
  }
  const fresh = (): Wakeshift => new Wakeshift({ logger: () => undefined });
  const zod = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS["zod 4"] });
  const zodMini = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS["zod/mini"] });
  const zod325 = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS["zod 3.25"] });
  const zodInside = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS["zod 4 inside zod 3.25"] });
  const valibot = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS.valibot });
  const ark = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS.arktype });
  expectTypeOf<ArgumentsOf<typeof zod>>().toEqualTypeOf<Args>();
  expectTypeOf<ArgumentsOf<typeof zodMini>>().toEqualTypeOf<Args>();
  expectTypeOf<ArgumentsOf<typeof zod325>>().toEqualTypeOf<Args>();
  expectTypeOf<ArgumentsOf<typeof zodInside>>().toEqualTypeOf<Args>();
  expectTypeOf<ArgumentsOf<typeof valibot>>().toEqualTypeOf<Args>();
  expectTypeOf<ArgumentsOf<typeof ark>>().toEqualTypeOf<{ job: string; page?: number }>();
  expectTypeOf(zod.emit).parameter(1).toEqualTypeOf<{ status: string; count?: number | undefined }>();
  expectTypeOf(zod325.emit).parameter(1).toEqualTypeOf<{ status: string; count?: number | undefined }>();
  expectTypeOf(valibot.emit).parameter(1).toEqualTypeOf<{ status: string; count?: number | undefined }>();
  expectTypeOf(ark.emit).parameter(1).toEqualTypeOf<{ status: string; count?: number }>();
  for (const event of [zod, zodMini, zod325, zodInside, valibot, ark]) expectTypeOf(event).toExtend<AnyEvent>();
});

test("gives text and authorize what a schema has made of the values, each library's own output", () => {
  const check = (_run: () => unknown): void => undefined;
  check(() =>
    offline.defineEvent("a.zod", {
      description: DESCRIPTION,
      ...SCHEMAS["zod 3.25"],
      text: ({ status, count }, { job, page }) => {
        expectTypeOf([status, job]).toEqualTypeOf<string[]>();
        expectTypeOf(count).toEqualTypeOf<number>();
        expectTypeOf(page).toEqualTypeOf<number | undefined>();
        return job;
      },
    }),
  );
  check(() =>
    offline.defineEvent("a.valibot", {
      description: DESCRIPTION,
      ...SCHEMAS.valibot,
      text: ({ count }) => count.toFixed(),
      authorize: (_subscriber, { job }) => job.startsWith("a"),
    }),
  );
  check(() => offline.defineEvent("a.ark", { description: DESCRIPTION, ...SCHEMAS.arktype, text: ({ count }) => count.toFixed() }));
  check(() =>
    offline.defineEvent("a.plain", {
      description: DESCRIPTION,
      args: { type: "object" },
      payload: { type: "object" },
      text: (payload, args) => {
        expectTypeOf(payload).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        return "";
      },
    }),
  );
});

test("refuses by the compiler what a library's schema refuses", () => {
  const fresh = (): Wakeshift => new Wakeshift({ logger: () => undefined });
  const zod325 = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS["zod 3.25"] });
  const valibot = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS.valibot });
  const ark = fresh().defineEvent(name, { description: DESCRIPTION, ...SCHEMAS.arktype });
  const compileOnly = (_run: () => unknown): void => undefined;
  compileOnly(async () => {
    // @ts-expect-error job is a string
    await zod325.emit({ job: 1 }, { status: "done" });
    // @ts-expect-error status is missing
    await valibot.emit({ job: "1" }, {});
    // @ts-expect-error page is a number
    await ark.emit({ job: "1", page: "2" }, { status: "done" });
  });
});

/** Any event of this shape, for what is run and not compiled. */
type Runnable = (job: unknown, payload: unknown) => Promise<unknown>;

const PLAIN = {
  args: { type: "object", properties: { job: { type: "string" }, page: { type: "number" } }, required: ["job"] },
  payload: { type: "object", properties: { status: { type: "string" }, count: { type: "number" } }, required: ["status"] },
};

describe.each(Object.entries<{ readonly args: Schema; readonly payload: Schema }>({ ...SCHEMAS, "JSON Schema": PLAIN }))(
  "an event described by %s",
  (library, schemas) => {
    test("is subscribed to by a tool, emitted, filtered, and refused where it doesn't fit", async () => {
      const core = testingCore();
      const wake = new Wakeshift(core.options);
      const event = wake.defineEvent(name, { description: DESCRIPTION, ...schemas });
      const emit = event.emit as unknown as Runnable;
      const server = new McpServer({ name: "crawler", version: "1.0.0" });
      wake
        .attach(server)
        .registerTool(
          "start_crawl",
          { inputSchema: z.object({ job: z.any(), page: z.number().optional() }), subscribes: [event] },
          async (args, _context, call) => {
            await call.subscribe(event, args);
            return { content: [] };
          },
        );
      const [there, here] = InMemoryTransport.createLinkedPair();
      const client = new Client({ name: "test", version: "1.0.0" });
      await Promise.all([server.connect(there), client.connect(here)]);
      onTestFinished(() => client.close());

      expect(await client.callTool({ name: "start_crawl", arguments: { job: "j1" } })).not.toHaveProperty("isError", true);
      expect(await client.callTool({ name: "start_crawl", arguments: { job: "j1", page: 2 } })).not.toHaveProperty("isError", true);
      expect(await client.callTool({ name: "start_crawl", arguments: { job: 5 } })).toMatchObject({ isError: true });
      expect(core.subscriptions().map((each) => each.arguments)).toEqual([{ job: "j1" }, { job: "j1", page: 2 }]);

      await expect(emit({ job: "j1" }, { status: "done" })).resolves.toMatchObject({ matched: 2 });
      await emit({ job: "j1", page: 2 }, { status: "second" });
      const payload = library === "JSON Schema" ? { status: "done" } : { status: "done", count: 0 };
      const woken = core.wakes().map((each) => [each.subscription.arguments["page"], each.payload]);
      expect(woken).toEqual([
        [undefined, payload],
        [undefined, { ...payload, status: "second" }],
        [2, { ...payload, status: "second" }],
      ]);

      await expect(emit({}, { status: "done" })).rejects.toMatchObject({ code: "bad_arguments" });
      await expect(emit({ job: "j1", page: "2" }, { status: "done" })).rejects.toMatchObject({ code: "bad_arguments" });
      await expect(emit({ job: "j1" }, { status: 1 })).rejects.toMatchObject({ code: "bad_payload" });
      // Each reason is told once.
      const refused = { code: "request_failed" };
      expect(core.log).toMatchObject([
        { ...refused, request: "subscribe", tool: "start_crawl", error: "bad_arguments" },
        { ...refused, request: "emit", error: "bad_arguments" },
        { ...refused, request: "emit", error: "bad_payload" },
      ]);
      // Whatever a library writes, the next sentence begins after a period.
      for (const { message } of core.log) expect(message).toMatch(/\. (Its promise|This line)/);
    });
  },
);

test("refuses a schema that gives no JSON Schema, and says what to do", () => {
  const bare = v.object({ job: v.string() });
  expect(() => offline.defineEvent("bare.valibot", { description: DESCRIPTION, args: bare, payload: bare })).toThrow(
    expect.objectContaining({ code: "bad_event", message: expect.stringContaining("toStandardJsonSchema") as string }),
  );
});
