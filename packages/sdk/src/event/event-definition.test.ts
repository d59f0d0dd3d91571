import { expect, test } from "vitest";
import { z } from "zod";
import type { EventOptions } from "./event.ts";
import type { Schema } from "../schema/schema.ts";
import { createEventDefinition, manifestEventOf } from "./event-definition.ts";

const good: EventOptions<Schema, Schema> = {
  description: "A crawl finished",
  args: z.object({ job: z.string() }),
  payload: z.object({ status: z.string() }),
};
const code = (name: string): unknown => expect.objectContaining({ name: "WakeshiftError", code: name });

test.each(["crawl.finished", "ci.finished", "game.turn", "a", "a.b.c.d.e", "product.price_changed", "a-b.c1"])(
  "takes the name %s (seed-10)",
  (name) => {
    expect(createEventDefinition(name, good).name).toBe(name);
  },
);

test.each([
  "",
  "Crawl.finished",
  "crawl..finished",
  ".a",
  "a.",
  "1a",
  "a b",
  "a.b.c.d.e.f",
  "wakeshift.x",
  `a${"b".repeat(64)}`,
  5 as unknown as string,
])("refuses the name %j", (name) => {
  expect(() => createEventDefinition(name, good)).toThrow(code("bad_event"));
});

test.each([["", undefined, 5, "  "]])("refuses a description that says nothing", (description) => {
  expect(() => createEventDefinition("a.b", { ...good, description: description })).toThrow(code("bad_event"));
});

test.each([[z.string()], [z.array(z.string())], [{ type: "string" }], [{}]])("refuses args that are no object", (args) => {
  expect(() => createEventDefinition("a.b", { ...good, args })).toThrow(code("bad_event"));
});

test("refuses whatever else of it a core would refuse, since that would keep the app's other events from being published", () => {
  const large = { type: "object", description: "x".repeat(70_000) };
  for (const payload of [z.string(), z.any(), z.array(z.object({})), {}, { type: "string" }, { type: "object", required: 1 }, large])
    expect(() => createEventDefinition("a.b", { ...good, payload })).toThrow(code("bad_event"));
  for (const args of [large, { type: "object", properties: [] }, { type: "object", required: [1] }])
    expect(() => createEventDefinition("a.b", { ...good, args })).toThrow(code("bad_event"));
  expect(() => createEventDefinition("a.b", { ...good, args: { type: "object", required: ["wakeshift_voucher"] } })).toThrow(
    code("reserved_argument"),
  );
});

test("refuses an argument named wakeshift_voucher (seed-234)", () => {
  expect(() => createEventDefinition("a.b", { ...good, args: z.object({ wakeshift_voucher: z.string() }) })).toThrow(
    code("reserved_argument"),
  );
});

test("refuses public together with personal (seed-180)", () => {
  expect(() => createEventDefinition("a.b", { ...good, public: true, personal: true })).toThrow(code("bad_openness"));
});

test("refuses public together with authorize (seed-181)", () => {
  expect(() => createEventDefinition("a.b", { ...good, public: true, authorize: () => true })).toThrow(code("bad_openness"));
});

test.each([{ personal: "yes" }, { personal: 1 }, { public: "true" }, { public: null }, { authorize: true }, { authorize: null }])(
  "refuses an openness that is mistyped: %j",
  (openness) => {
    expect(() => createEventDefinition("a.b", { ...good, ...(openness as object) })).toThrow(code("bad_openness"));
  },
);

test.each([
  [{}, []],
  [{ personal: false, public: false }, []],
  [{ personal: true }, ["personal"]],
  [{ authorize: (): boolean => true }, ["authorize"]],
  [{ personal: true, authorize: (): boolean => true }, ["personal", "authorize"]],
  [{ public: true }, ["public"]],
])("publishes its openness: %j is %j (seed-177, seed-178, seed-182)", (openness, access) => {
  expect(manifestEventOf(createEventDefinition("a.b", { ...good, ...openness }), ["t"])).toMatchObject({
    name: "a.b",
    access,
    tools: ["t"],
  });
});

test("publishes the description, and zod objects of arguments and payload as JSON Schema (seed-7, seed-8, seed-9)", () => {
  expect(manifestEventOf(createEventDefinition("crawl.finished", good), [])).toMatchObject({
    name: "crawl.finished",
    description: "A crawl finished",
    arguments: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
    payload: { type: "object", properties: { status: { type: "string" } }, required: ["status"] },
  });
});
