import { describe, expect, it } from "vitest";
import { requiredNames, splitArguments } from "./split-arguments.ts";

describe("splitting arguments", () => {
  it("takes the schema's required names for the route and the others as filters", () => {
    const schema = { type: "object", properties: { repo: {}, branch: {} }, required: ["repo"] };
    expect(splitArguments(schema, { branch: "main", repo: "r" })).toEqual({ required: { repo: "r" }, optional: { branch: "main" } });
  });

  it("has no required arguments where the schema lists none, and copes with a broken list", () => {
    for (const schema of [{}, { required: null }, { required: "repo" }, { required: [1, null] }]) {
      expect(splitArguments(schema, { repo: "r" })).toEqual({ required: {}, optional: { repo: "r" } });
    }
  });

  it("leaves out what is undefined and keeps null", () => {
    expect(splitArguments({ required: ["a", "b"] }, { a: undefined, b: null, c: undefined })).toStrictEqual({
      required: { b: null },
      optional: {},
    });
  });

  it("keeps an argument named __proto__ as a plain field", () => {
    const args = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
    const { optional } = splitArguments({}, args);
    expect(JSON.stringify(optional)).toBe('{"__proto__":{"polluted":true}}');
    expect(optional["polluted"]).toBeUndefined();
  });
});

it("lists the required names once each, in the schema's order", () => {
  expect([...requiredNames({ required: ["repo", "branch", "repo", 1] })]).toEqual(["repo", "branch"]);
  expect([...requiredNames({})]).toEqual([]);
});
