import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WakeshiftError } from "../errors.ts";
import { canonicalJson } from "./canonical-json.ts";

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }).filter((value) => !JSON.stringify(value).includes("\\u0000"));

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, shuffled(inner)]),
  );
}

describe("canonical JSON", () => {
  it("means the same as the value it was written from", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("doesn't depend on the order of fields, and is its own canonical form", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("is the same for 1 and 1.0, and for 0 and -0", () => {
    expect(canonicalJson(JSON.parse("[1.0, 1e0, -0, 100e-2]"))).toBe("[1,1,0,1]");
  });

  it("keeps a field named __proto__ and sorts names by UTF-16 units, not by code points", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2,"\\ufb33":3,"\\ud83d\\ude00":4}'))).toBe(
      '{"__proto__":2,"b":1,"😀":4,"\ufb33":3}',
    );
  });

  it("is refused for what JSON can't hold", () => {
    for (const value of [undefined, Number.NaN, { a: undefined }, "\ud800", "\0", 1n, () => 1, new Date(0)]) {
      let code: unknown;
      try {
        canonicalJson(value);
      } catch (error) {
        code = WakeshiftError.isInstance(error) ? error.code : error;
      }
      expect(code).toBe("bad_request");
    }
  });
});
