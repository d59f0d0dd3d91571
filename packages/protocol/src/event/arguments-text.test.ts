import { describe, expect, it } from "vitest";
import { argumentsText } from "./arguments-text.ts";

describe("the text of arguments", () => {
  it("is canonical JSON, with names in one order", () => {
    expect(argumentsText({ b: 1, a: { d: null, c: "x" } })).toBe('{"a":{"c":"x","d":null},"b":1}');
    expect(argumentsText({ "": 1 })).toBe('{"":1}');
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["a value that JSON can't hold", { job: undefined }, /^arguments\.job is of type undefined/],
    ["half of a surrogate pair", { job: "\ud800" }, /^arguments\.job holds a NUL character or half of a surrogate pair/],
    ["a field named __proto__", JSON.parse('{"__proto__":1}') as Record<string, unknown>, /field named __proto__/],
  ])("refuses %s with bad_arguments, and says where", (_what, args, message) => {
    expect(() => argumentsText(args)).toThrow(
      expect.objectContaining({ code: "bad_arguments", message: expect.stringMatching(message) as string }),
    );
  });

  it.each([
    ["a", 1],
    ["é", 2],
    ["語", 3],
  ])("takes 4,096 bytes of text and no more, whatever its characters take (%s)", (character, bytes) => {
    const frame = '{"job":""}'.length;
    const fitting = character.repeat(Math.floor((4_096 - frame) / bytes)) + "a".repeat((4_096 - frame) % bytes);
    expect(new TextEncoder().encode(argumentsText({ job: fitting })).length).toBe(4_096);
    expect(() => argumentsText({ job: `${fitting}a` })).toThrow(
      expect.objectContaining({ code: "bad_arguments", message: expect.stringContaining("larger than 4096 bytes") as string }),
    );
  });
});
