import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { describeSchemaFault } from "./schema-fault.ts";

const SCHEMA = {
  type: "object",
  properties: {
    job: { type: "string", minLength: 2 },
    pages: { type: ["integer", "null"], maximum: 3 },
    status: { enum: ["done", "failed"] },
    kind: { const: "crawl" },
    tags: { type: "array", maxItems: 1 },
    name: { pattern: "^a$" },
  },
  required: ["job"],
  additionalProperties: false,
};

function said(value: unknown): string | undefined {
  const fault = new Validator(SCHEMA as object, "2020-12", true).validate(value).errors.at(-1);
  return fault === undefined ? undefined : describeSchemaFault(fault);
}

describe("a fault of a value, in plain words", () => {
  it.each<[unknown, string]>([
    [{}, '"job" is missing'],
    ["x", "it is a string, not an object"],
    [{ job: 5 }, "/job: it is a number, not a string"],
    [{ job: "jj", pages: "x" }, "/pages: it is a string, not an integer or null"],
    [{ job: "j" }, "/job: the string is too short (1 < 2)"],
    [{ job: "jj", status: "s3cret" }, '/status: it is none of ["done","failed"]'],
    [{ job: "jj", kind: "s3cret" }, '/kind: it is not "crawl"'],
    [{ job: "jj", tags: [1, 2] }, "/tags: the array has too many items (2 > 1)"],
    [{ job: "jj", name: "s3cret" }, "/name: the string does not match pattern"],
    [{ job: "jj", other: 1 }, "/other: it is not expected here"],
    [{ job: "jj", pages: 987_654 }, '/pages: it doesn\'t satisfy "maximum"'],
  ])("%j: %s", (value, words) => {
    expect(said(value)).toBe(words);
  });
});

describe("a fault whose words aren't the library's usual ones", () => {
  const fault = (keyword: string, error: string, instanceLocation = "#"): string =>
    describeSchemaFault({ keyword, error, instanceLocation });

  it.each([
    ["required", "Something is missing.", 'it doesn\'t satisfy "required"'],
    ["type", "Instance type is off.", 'it doesn\'t satisfy "type"'],
    ["maximum", 'Instance does not have required property "a".', 'it doesn\'t satisfy "maximum"'],
    ["maximum", 'Instance type "string" is invalid. Expected "object".', 'it doesn\'t satisfy "maximum"'],
    ["enum", "Instance does not match any of [1.5,2.5].", "it is none of [1.5,2.5]"],
    ["const", "Instance does not match 1.5.", "it is not 1.5"],
    ["format", "String is not a time. Array neither.", "the string is not a time. Array neither"],
    ["minItems", "Not an Array.", "Not an Array"],
    ["type", 'Not: Instance type "string" is invalid. Expected "object".', 'it doesn\'t satisfy "type"'],
    ["type", 'Instance type "string" is invalid. Expected "object". Really', 'it doesn\'t satisfy "type"'],
  ])("%s, %s: %s", (keyword, error, words) => {
    expect(fault(keyword, error)).toBe(words);
  });

  it("is cut, so that a message stays readable", () => {
    expect(fault("enum", `Instance does not match any of [${"1,".repeat(5_000)}].`).length).toBe(200);
  });
});
