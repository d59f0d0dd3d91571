import { describe, expect, test } from "vitest";
import { resultOfCall, resultsWithSubscriptions } from "./transcript-results.ts";

const META = { "ai.wakeshift/subscription": [{ v: 1, tool: "watch_crawl" }] };
const content = [{ type: "tool_result", tool_use_id: "toolu_1", content: "Watching." }];
const CALL = { type: "assistant", message: { content: [{ type: "tool_use", id: "toolu_1", name: "mcp__crawler__watch_crawl" }] } };
const RESULT = { type: "user", message: { role: "user", content }, mcpMeta: { _meta: META } };
/** What Claude Code 2.1.332 notes of each request to the model. */
const SENT = { type: "api-request-blob", sessionId: "s", message: { role: "user", content } };

const transcript = (...lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

describe("a tool call's result in a transcript", () => {
  test.each([
    ["before", [CALL, SENT, RESULT]],
    ["after", [CALL, RESULT, SENT, SENT]],
    ["before and after", [CALL, SENT, RESULT, SENT]],
  ])("is read from its own line, with copies of what the model was sent %s it", (_where, lines) => {
    expect(resultOfCall(transcript(...lines), "toolu_1", "mcp__crawler__watch_crawl")).toEqual({ tool: "watch_crawl", meta: META });
    expect(resultsWithSubscriptions(transcript(...lines))).toEqual([{ tool: "watch_crawl", meta: META }]);
  });

  test("isn't there as long as only a copy of it is", () => {
    expect(resultOfCall(transcript(CALL, SENT), "toolu_1", "mcp__crawler__watch_crawl")).toBeUndefined();
  });

  test("subscribes nothing where its own line has no _meta", () => {
    const plain = { type: "user", message: { role: "user", content } };
    expect(resultOfCall(transcript(CALL, plain, SENT), "toolu_1", "mcp__crawler__watch_crawl")).toMatchObject({ meta: undefined });
  });
});
