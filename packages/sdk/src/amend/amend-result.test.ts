import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { Addition } from "@wakeshift/protocol";
import { expect, test } from "vitest";
import { amendResult } from "./amend-result.ts";

function addition(id: number): Addition {
  return { text: `text ${String(id)}`, structured: { id }, meta: { [SUBSCRIPTION_META_KEY]: [{ id }], "ai.wakeshift/other": id } };
}

test("leaves a result alone when nothing was subscribed", () => {
  const result = { content: [] };
  expect(amendResult(result, [], true)).toBe(result);
});

test("adds one text part after the author's, and changes nothing in place (seed-151)", () => {
  const result = Object.freeze({ content: Object.freeze([{ type: "text", text: "a" }]), extra: 1 });
  expect(amendResult(result, [addition(1)], true)).toEqual({
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "text 1" },
    ],
    extra: 1,
    _meta: { [SUBSCRIPTION_META_KEY]: [{ id: 1 }], "ai.wakeshift/other": 1 },
  });
});

test("puts the block into structured content only where there is some, it has room, and no field of that name (seed-156)", () => {
  expect(amendResult({ structuredContent: { a: 1 } }, [addition(1)], true).structuredContent).toEqual({ a: 1, wakeshift: { id: 1 } });
  expect(amendResult({ structuredContent: { a: 1 } }, [addition(1)], false).structuredContent).toEqual({ a: 1 });
  expect(amendResult({ structuredContent: [1] }, [addition(1)], true).structuredContent).toEqual([1]);
  expect(amendResult({ structuredContent: { wakeshift: 1 } }, [addition(1)], true).structuredContent).toEqual({ wakeshift: 1 });
  expect(amendResult({}, [addition(1)], true)).not.toHaveProperty("structuredContent");
});

test("keeps the author's _meta, adds to entries that are there, and carries at most 16, ours among them", () => {
  const there = Array.from({ length: 15 }, (_each, index) => ({ theirs: index }));
  const { _meta: meta } = amendResult(
    { _meta: { "a/b": 1, "ai.wakeshift/other": "theirs", [SUBSCRIPTION_META_KEY]: there } },
    [addition(1), addition(2)],
    true,
  ) as unknown as { _meta: Record<string, unknown[]> };
  expect(meta).toMatchObject({ "a/b": 1, "ai.wakeshift/other": "theirs" });
  expect(meta[SUBSCRIPTION_META_KEY]).toHaveLength(16);
  expect(meta[SUBSCRIPTION_META_KEY]?.slice(-2)).toEqual([{ id: 1 }, { id: 2 }]);
});

test("leaves content that is no list to the client", () => {
  expect(amendResult({ content: "x" }, [addition(1)], true).content).toBe("x");
});

test("adds no empty text", () => {
  expect(amendResult({ content: [] }, [{ text: "", structured: {}, meta: {} }], true)).toEqual({ content: [], _meta: {} });
});
