import { expect, test } from "vitest";
import { judgeResult } from "./judge-result.ts";

test.each([
  [{ content: [] }, "final"],
  [{ content: [], resultType: "complete" }, "final"],
  [{ content: [], isError: false }, "final"],
  [{ structuredContent: { error: "x" } }, "final"],
  [{ content: [], task: "a field of the author" }, "final"],
  [{ content: [], isError: true }, "failed"],
  [undefined, "failed"],
  ["text", "failed"],
  [{ resultType: "input_required" }, "unfinished"],
  [{ task: { taskId: "t" } }, "unfinished"],
])("judges %j as %s (seed-147, seed-150)", (result, verdict) => {
  expect(judgeResult(result)).toBe(verdict);
});
