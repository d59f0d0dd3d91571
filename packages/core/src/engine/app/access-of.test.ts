import { describe, expect, test } from "vitest";
import { accessOf, knowsAccessRule } from "./access-of.ts";

describe("knowsAccessRule", () => {
  test.each([
    [undefined, false],
    [{ language: "typescript", version: "0.10.9" }, false],
    [{ language: "typescript", version: "0.11.0" }, true],
    [{ language: "TypeScript", version: "1.0.0-beta.1" }, true],
    [{ language: "python", version: "0.9.4" }, false],
    [{ language: "python", version: "0.10" }, true],
    [{ language: "go", version: "v0.10.0" }, true],
    [{ language: "go", version: "devel" }, false],
    [{ language: "rust", version: "0.1.0" }, true],
    [{ language: "constructor", version: "0.1.0" }, true],
    [{ language: "__proto__", version: "0.1.0" }, true],
    [{ language: "toString", version: "0.1.0" }, true],
  ])("%j: %s", (sdk, expected) => {
    expect(knowsAccessRule(sdk)).toBe(expected);
  });
});

describe("accessOf", () => {
  const base = { knowsRule: true, declared: undefined, personal: false, stored: undefined };

  test("an event that declares nothing is tools-only once its SDK knows the rule", () => {
    expect(accessOf(base)).toEqual([]);
    expect(accessOf({ ...base, declared: ["authorize"] })).toEqual(["authorize"]);
  });

  test("what is said in the older spelling counts beside what is declared", () => {
    expect(accessOf({ ...base, personal: true })).toEqual(["personal"]);
    expect(accessOf({ ...base, personal: true, declared: ["authorize"] })).toEqual(["authorize", "personal"]);
    expect(accessOf({ ...base, personal: true, declared: ["personal"] })).toEqual(["personal"]);
    expect(accessOf({ ...base, personal: true, declared: ["public"] })).toEqual(["public", "personal"]);
  });

  test("an older SDK's event stays open to every path", () => {
    expect(accessOf({ ...base, knowsRule: false })).toBeUndefined();
    expect(accessOf({ ...base, knowsRule: false, personal: true })).toEqual(["personal"]);
  });

  test("an older SDK never reopens what a newer one closed", () => {
    const closed = { ...base, knowsRule: false, stored: { access: [] } };
    expect(accessOf(closed)).toEqual([]);
    expect(accessOf({ ...closed, personal: true })).toEqual([]);
  });

  test("an older SDK's second publish keeps the event open", () => {
    expect(accessOf({ ...base, knowsRule: false, stored: { access: undefined } })).toBeUndefined();
  });
});
