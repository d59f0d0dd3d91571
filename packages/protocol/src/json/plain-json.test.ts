import { describe, expect, it } from "vitest";
import { WakeshiftError } from "../errors.ts";
import { assertPlainJson } from "./plain-json.ts";

function refusal(value: unknown): WakeshiftError | undefined {
  try {
    assertPlainJson(value, "bad_payload", "payload");
  } catch (error) {
    if (WakeshiftError.isInstance(error)) return error;
    throw error;
  }
  return undefined;
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

describe("plain JSON", () => {
  it("is every JSON value, also with emoji, separators and odd field names", () => {
    const parsed: unknown = JSON.parse('{"__proto__":{"a":1},"":null,"\\u2028":"\\u2028👩‍👩‍👧","n":[-0,1e308,true]}');
    for (const value of [null, true, 0, -1.5, "", "a", [], {}, parsed, Object.create(null)]) expect(refusal(value)).toBeUndefined();
  });

  it("holds no other value; the refusal has the caller's code and names the place", () => {
    class Point {
      readonly x = 1;
    }
    const cases: readonly (readonly [unknown, string])[] = [
      [{ a: [1, Number.NaN] }, "payload.a[1] is NaN"],
      [{ a: Infinity }, "payload.a is Infinity"],
      [undefined, "payload is of type undefined"],
      [{ a: undefined }, "payload.a is of type undefined"],
      [[, 1], "payload[0] is of type undefined"], // eslint-disable-line no-sparse-arrays -- the hole is the case
      [{ a: 1n }, "payload.a is of type bigint"],
      [{ a: Symbol("x") }, "payload.a is of type symbol"],
      [{ toJSON: () => 1 }, "payload.toJSON is of type function"],
      [{ when: new Date(0) }, "payload.when is an instance of a class"],
      [new Map(), "payload is an instance of a class"],
      [[new Point()], "payload[0] is an instance of a class"],
    ];
    for (const [value, sentence] of cases) {
      expect(refusal(value)?.code).toBe("bad_payload");
      expect(refusal(value)?.message).toContain(sentence);
    }
  });

  it("holds no NUL and no half of a surrogate pair, in values or names (PC-42)", () => {
    for (const value of ["a\0b", { t: "\ud83d" }, { t: "\ude00\ud83d" }, [["\udc00x"]], { "a\0": 1 }, { "\ud800": 1 }]) {
      expect(refusal(value)?.message).toMatch(/NUL character or half of a surrogate pair/);
    }
    expect(refusal("😀")).toBeUndefined();
  });

  it("is at most 64 levels deep, and a circle is refused instead of followed", () => {
    expect(refusal(nested(64))).toBeUndefined();
    expect(refusal(nested(65))?.message).toContain("deeper than 64");
    expect(refusal(nested(100_000))?.message).toContain("deeper than 64");
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(refusal(circle)?.message).toContain("deeper than 64");
    expect(refusal(circle)?.message.length).toBeLessThan(300);
  });
});

describe("the place that a fault is said to be at", () => {
  const said = (value: unknown, field = "payload"): string => {
    try {
      assertPlainJson(value, "bad_payload", field);
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };

  it("is the whole value if that is at fault, and the path to it inside", () => {
    expect(said("\0")).toMatch(/^payload holds a NUL/);
    expect(said({ "a\0": 1 })).toMatch(/^payload has a field whose name holds a NUL/);
    expect(said({ list: [1, { deep: "\0" }] })).toMatch(/^payload\.list\[1\]\.deep holds a NUL/);
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(said(nested(65))).toMatch(/^payload[[\]0…]+ is nested deeper than 64 levels/);
  });

  it("is cut after 120 characters, and each name after 40", () => {
    expect(said({ ["n".repeat(41)]: undefined }, "p")).toBe(`p.${"n".repeat(40)} is of type undefined, which JSON can't hold.`);
    expect(said("\0", "p".repeat(120))).toBe(`${"p".repeat(120)} holds a NUL character or half of a surrogate pair; remove it.`);
    expect(said("\0", "p".repeat(121))).toBe(`${"p".repeat(120)}… holds a NUL character or half of a surrogate pair; remove it.`);
  });
});
