import { describe, expect, it } from "vitest";
import { hasRequired, requireAlike, splitArguments } from "./split-arguments.ts";

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

describe("comparing what is required", () => {
  it("tells other names from another order, a repetition, or no list", () => {
    const repo = { required: ["repo", "branch"] };
    expect(requireAlike(repo, { required: ["branch", "repo", "repo"] })).toBe(true);
    expect(requireAlike({}, { required: [] })).toBe(true);
    for (const other of [{ required: ["repo"] }, { required: ["repo", "team"] }, { required: ["repo", "branch", "team"] }, {}]) {
      expect(requireAlike(repo, other)).toBe(false);
      expect(requireAlike(other, repo)).toBe(false);
    }
  });

  it("says whether all required arguments are given, whatever they are", () => {
    expect(hasRequired({ required: ["a", "toString"] }, { a: null })).toBe(false);
    expect(hasRequired({ required: ["a"] }, { a: null, b: 1 })).toBe(true);
    expect(hasRequired({}, {})).toBe(true);
    expect(hasRequired({ required: ["a", 1] }, { a: null })).toBe(true);
  });
});
