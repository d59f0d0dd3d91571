import { WakeshiftError } from "@wakeshift/protocol";
import { type } from "arktype";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { compileSchema } from "./compile-schema.ts";
import type { Schema } from "./schema.ts";

const LIBRARIES: Readonly<Record<string, Schema>> = {
  "zod 4": z.object({ job: z.string(), page: z.number().optional() }),
  "zod/mini": mini.object({ job: mini.string(), page: mini.optional(mini.number()) }),
  "zod 3": z3.object({ job: z3.string(), page: z3.number().optional() }),
  arktype: type({ job: "string", "page?": "number" }),
  "JSON Schema": { type: "object", properties: { job: { type: "string" }, page: { type: "number" } }, required: ["job"] },
  "JSON Schema, draft-07": {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { job: { type: "string" }, page: { type: "number" } },
    required: ["job"],
  },
};

describe.each(Object.entries(LIBRARIES))("a schema of %s", (_name, schema) => {
  test("is published as JSON Schema with what it requires", () => {
    expect(compileSchema(schema, "it").jsonSchema).toMatchObject({
      type: "object",
      properties: { job: { type: "string" }, page: { type: "number" } },
      required: ["job"],
    });
  });

  test("takes what matches, without fields that are undefined", async () => {
    expect(await compileSchema(schema, "it").check({ job: "1", page: undefined }, "bad_arguments", "the arguments")).toEqual({ job: "1" });
  });

  test.each([[{}], [{ job: 5 }], ["text"], [undefined], [null], [[]], [{ job: "a\0" }], [{ job: "\ud800" }]])(
    "refuses %j, naming the field and not the value",
    async (value) => {
      const refused: unknown = await compileSchema(schema, "it")
        .check(value, "bad_arguments", "the arguments")
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WakeshiftError);
      expect(refused).toMatchObject({ code: "bad_arguments", message: expect.stringMatching(/^the arguments/) as string });
    },
  );
});

test("fills defaults in, and publishes what may be left out as optional", async () => {
  const compiled = compileSchema(z.object({ job: z.string(), page: z.number().default(1) }), "it");
  expect(compiled.jsonSchema["required"]).toEqual(["job"]);
  expect(await compiled.check({ job: "1" }, "bad_arguments", "x")).toEqual({ job: "1", page: 1 });
});

test("refuses a value that a transform has turned into something else than is published", async () => {
  const compiled = compileSchema(z.object({ job: z.string().transform(Number) }), "it");
  await expect(compiled.check({ job: "1" }, "bad_arguments", "x")).rejects.toMatchObject({ code: "bad_arguments" });
});

test("takes a schema that checks asynchronously", async () => {
  const compiled = compileSchema(z.object({ job: z.string().refine(async (job) => Promise.resolve(job !== "no")) }), "it");
  expect(await compiled.check({ job: "1" }, "bad_payload", "x")).toEqual({ job: "1" });
  await expect(compiled.check({ job: "no" }, "bad_payload", "x")).rejects.toMatchObject({ code: "bad_payload" });
});

test.each([
  ["a date", z.object({ at: z.date() })],
  [
    "a Standard Schema without JSON Schema",
    { "~standard": { version: 1, vendor: "none", validate: (value: unknown): unknown => ({ value }) } } as const,
  ],
  ["null", null as unknown as Schema],
  ["a list", [] as unknown as Schema],
])("refuses %s, which gives no JSON Schema", (_what, schema) => {
  expect(() => compileSchema(schema, "the args of a.b")).toThrow(
    expect.objectContaining({ code: "bad_event", message: expect.stringMatching(/^the args of a\.b/) as string }),
  );
});

test.each([
  ["a reference to nothing", { $ref: "#/$defs/none" }],
  ["a reference whose percent signs stand for nothing", { $ref: "#/$defs/100%" }],
  ["a pattern that is none", { type: "string", pattern: "(" }],
])("says that the schema is at fault, not the value, where it has %s", async (_what, job) => {
  const check = async (): Promise<unknown> =>
    compileSchema({ type: "object", properties: { job } }, "the args of a.b").check({ job: "1" }, "bad_arguments", "x");
  await expect(check()).rejects.toMatchObject({ code: "bad_event", message: expect.stringMatching(/^the args of a\.b/) as string });
});
