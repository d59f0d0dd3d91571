import { describe, expect, it } from "vitest";
import { matchesFilter } from "./matches-filter.ts";

describe("filters", () => {
  it("let everything pass where there are none", () => {
    expect(matchesFilter({}, {}, null)).toBe(true);
  });

  it("look at the emit's argument first, and at the payload only where the emit gave none", () => {
    expect(matchesFilter({ branch: "main" }, { branch: "main" }, { branch: "other" })).toBe(true);
    expect(matchesFilter({ branch: "main" }, { branch: "other" }, { branch: "main" })).toBe(false);
    expect(matchesFilter({ branch: "main" }, { branch: null }, { branch: "main" })).toBe(false);
    expect(matchesFilter({ branch: "main" }, {}, { branch: "main" })).toBe(true);
  });

  it("match nothing where the name is nowhere, or the payload is no object", () => {
    for (const payload of [{}, null, "main", ["main"], 3]) expect(matchesFilter({ branch: "main" }, {}, payload)).toBe(false);
    expect(matchesFilter({ 0: "m" }, {}, ["m"])).toBe(false);
    expect(matchesFilter({ length: 4 }, {}, "main")).toBe(false);
  });

  it("need every field, and compare by value, not by identity or coercion", () => {
    expect(matchesFilter({ a: 1, b: 2 }, { a: 1 }, { b: 3 })).toBe(false);
    expect(matchesFilter({ a: { x: 1, y: [2] } }, {}, { a: { y: [2], x: 1.0 } })).toBe(true);
    expect(matchesFilter({ a: "1" }, {}, { a: 1 })).toBe(false);
    expect(matchesFilter({ a: null }, {}, { a: 0 })).toBe(false);
  });

  it("see only a value's own fields", () => {
    expect(matchesFilter({ constructor: "x" }, {}, {})).toBe(false);
    expect(matchesFilter({ toString: "x" }, {}, {})).toBe(false);
  });
});
