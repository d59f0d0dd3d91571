import fc from "fast-check";
import { expect, test } from "vitest";
import { hasRepeatedNames } from "./repeated-names.ts";

const repeats = (text: string): boolean => hasRepeatedNames(text, JSON.parse(text));

test.each([
  '{"a":1,"a":2}',
  '{"a":{"b":[{"c":1,"c":1}]}}',
  '{"a" \n:1,"b":"x","a"\t:2}',
  '{"__proto__":1,"__proto__":2}',
  '{"a":1,"\\u0061":2}',
  '{"":1,"":2}',
  '[{"a\\"":1,"a\\"":2}]',
])("finds a name that stands twice in one object: %s", (text) => {
  expect(repeats(text)).toBe(true);
});

test.each([
  '{"a":{"a":[{"a":1},{"a":2}]},"b":"a"}',
  '{"a":"\\":\\"","b\\\\":":","__proto__":{"a":1}}',
  "[]",
  '"a:b"',
  "7",
  '["a","b"]',
  '{"a":"x:"}',
])("leaves alone what repeats none: %s", (text) => {
  expect(repeats(text)).toBe(false);
});

test("finds nothing in any value as it is written, indented or not, and the name that any object repeats", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(repeats(text)).toBe(false);
      expect(repeats(`{"x":${text},"y":0,"x":${text}}`)).toBe(true);
    }),
  );
});

test("a body that nests as deep as it is long is no deeper for it", () => {
  expect(repeats(`${'{"a":'.repeat(60_000)}1${"}".repeat(60_000)}`)).toBe(false);
  expect(repeats(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)).toBe(false);
});
