import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
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

test.each([
  ["no args", { args: undefined }, "args of a.b are missing"],
  ["no payload", { payload: null }, "payload of a.b is missing"],
  ["text that is no function", { text: "done" }, "text of a.b must be a function"],
  ["a type that doesn't exist", { payload: { type: "object", properties: { a: { type: "strin" } } } }, '/properties/a/type is "strin"'],
  ["a date of zod 4", { payload: z.object({ at: z.date() }) }, "z.iso.datetime()"],
  ["a date that a zod 4 schema makes", { payload: z.object({ at: z.iso.datetime().pipe(z.coerce.date()) }) }, "z.iso.datetime()"],
  ["a date of zod 3", { payload: z3.object({ at: z3.date() }) }, "z.string().datetime()"],
  ["a date that a zod 3 schema makes", { payload: z3.object({ at: z3.string().pipe(z3.coerce.date()) }) }, "z.string().datetime()"],
  ["a bigint of zod 3", { payload: z3.object({ at: z3.bigint() }) }, "no bigint"],
  ["a set of zod 3", { args: z3.object({ at: z3.set(z3.string()) }) }, "no set"],
  ["a pattern that doesn't compile", { payload: { type: "object", properties: { a: { pattern: "(" } } } }, "Invalid regular expression"],
  [
    "a reference to nothing",
    { payload: { type: "object", properties: { a: { $ref: "#/$defs/b" } } } },
    "/properties/a/$ref refers to nothing",
  ],
  ["a reference that leads out", { payload: { type: "object", properties: { a: { $ref: "https://a.example" } } } }, "leads out"],
  ["a reference in a circle", { payload: { type: "object", allOf: [{ $ref: "#" }] } }, "no JSON Schema that can be checked"],
  ["properties that are a list", { payload: { type: "object", properties: { a: { properties: [] } } } }, "an object of schemas"],
  ["a schema that is text", { payload: { type: "object", properties: { a: "string" } } }, "/properties/a must be an object"],
  ["a length that is no number", { payload: { type: "object", properties: { a: { maxLength: "9" } } } }, "/maxLength must be a whole"],
])("refuses what can't work: %s", (_what, wrong, sentence) => {
  const options = { ...good, ...(wrong as object) };
  expect(() => createEventDefinition("a.b", options)).toThrow(
    expect.objectContaining({ code: "bad_event", message: expect.stringContaining(sentence) as string }),
  );
});

test("takes what only looks like a keyword, and references that lead somewhere", () => {
  const payload = {
    type: "object",
    properties: { type: { type: "string" }, required: { type: ["string", "null"] }, pattern: { $ref: "#/$defs/a~1b" }, any: true },
    $defs: { "a/b": { type: "string", enum: ["type"], default: { type: "strin" }, examples: [{ pattern: "(" }] } },
    additionalProperties: false,
    "x-own": { type: "strin" },
  };
  expect(createEventDefinition("a.b", { ...good, payload }).payload.jsonSchema).toEqual(payload);
});
