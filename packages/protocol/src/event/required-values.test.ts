import { describe, expect, it } from "vitest";
import { mayBeEmitted, requiredValuesSchema, takeAlike } from "./required-values.ts";

const string = { type: "string" };
const of = (job: object, more: object = {}): Readonly<Record<string, unknown>> => ({
  type: "object",
  properties: { job },
  required: ["job"],
  ...more,
});

describe("comparing what values are taken", () => {
  it.each([
    ["another type", of({ type: "number" })],
    ["other permitted values", of({ type: "string", enum: ["x"] })],
    ["a pattern", of({ type: "string", pattern: "^a" })],
    ["nothing said of it", { ...of(string), properties: {} }],
    ["another name required", { ...of(string), required: ["site"] }],
    ["another definition it refers to", of({ $ref: "#/$defs/job" }, { $defs: { job: { type: "number" } } })],
    ["another limit", of({ type: "object", maxProperties: 1 })],
    ["a name that is a keyword of descriptions elsewhere", of({ type: "object", properties: { description: { type: "number" } } })],
  ])("tells %s", (_what, other) => {
    for (const one of [of(string), of({ $ref: "#/$defs/job" }, { $defs: { job: string } }), of({ type: "object" })]) {
      expect(takeAlike(one, other)).toBe(false);
      expect(takeAlike(other, one)).toBe(false);
    }
  });

  it.each([
    ["descriptions", of({ ...string, title: "Job", description: "d", examples: ["a"], default: "a", $comment: "c" })],
    ["arguments that may be left out", of(string, { properties: { job: string, branch: { type: "number" } } })],
    ["its draft", of(string, { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "x" })],
    ["the order of what it says", { required: ["job"], properties: { job: string }, type: "object" }],
    ["what is said of all of them together", of(string, { additionalProperties: false, minProperties: 1, description: "d" })],
  ])("tells no difference in %s", (_what, other) => {
    expect(takeAlike(of(string), other)).toBe(true);
  });
});

describe("comparing what values are taken inside of a schema", () => {
  const alike = (one: object, other: object): boolean => takeAlike(of(one), of(other));

  it("tells no difference in descriptions of a list's items, of alternatives, or of named parts", () => {
    expect(alike({ items: { type: "string", title: "One" } }, { items: { type: "string" } })).toBe(true);
    expect(alike({ anyOf: [{ type: "string", title: "One" }] }, { anyOf: [{ type: "string" }] })).toBe(true);
    expect(alike({ properties: { a: { title: "One" } } }, { properties: { a: {} } })).toBe(true);
  });

  it("tells another limit, another constant, and another named part, also where its name is a keyword of descriptions", () => {
    expect(alike({ maxLength: 5 }, { maxLength: 6 })).toBe(false);
    expect(alike({ const: { title: "One" } }, { const: { title: "Other" } })).toBe(false);
    expect(alike({ properties: { title: string } }, { properties: {} })).toBe(false);
  });
});

describe("whether arguments may be emitted", () => {
  const schema = of({ $ref: "#/$defs/job" }, { $defs: { job: { enum: ["a"] } }, minProperties: 9, additionalProperties: false });
  const judging = requiredValuesSchema(schema);
  const refusal = (value: unknown): string | undefined => ((value as { job?: unknown }).job === "a" ? undefined : "refused");

  it("judges each required argument by itself, and no other", () => {
    expect(Object.keys(judging).sort()).toEqual(["$defs", "properties"]);
    expect(mayBeEmitted(schema, { job: "a", gone: 1 }, refusal)).toBe(true);
    expect(mayBeEmitted(schema, { job: "b" }, refusal)).toBe(false);
  });

  it("asks nothing where one is missing", () => {
    const asked = (): never => {
      throw new Error("asked");
    };
    expect(mayBeEmitted(schema, { gone: 1 }, asked)).toBe(false);
  });
});
