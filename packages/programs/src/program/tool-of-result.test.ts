import { expect, test } from "vitest";
import { toolOfResult } from "./tool-of-result.ts";

const meta = (...tools: unknown[]): unknown => ({ "ai.wakeshift/subscription": tools.map((tool) => ({ v: 1, tool })) });

test.each([
  "mcp__crawler__watch_crawl",
  "mcp__plugin_tools_crawler__watch_crawl",
  "mcp__gateway__crawler__watch_crawl",
  "mcp__gateway__crawler_watch_crawl",
  "mcp__gateway__crawler-watch_crawl",
  "mcp__gateway__crawler.watch_crawl",
  "gateway/crawler/watch_crawl",
  "crawler:watch_crawl",
  "crawler_watch_crawl",
  "watch_crawl",
])("PC-57 a prefix that a program or a gateway puts before the tool's name is taken off: %s", (called) => {
  expect(toolOfResult(called, meta("watch_crawl"))).toBe("watch_crawl");
});

test.each([
  ["mcp__gateway__call_tool", "watch_crawl"],
  ["mcp__gateway__rewatch_crawl", "watch_crawl"],
  ["mcp__gateway__watch_crawl_v2", "watch_crawl"],
  ["watch_crawl", "crawler_watch_crawl"],
  ["watch_crawl", ""],
])("PC-57 a tool of another name keeps the name it was called by: %s isn't %j", (called, claimed) => {
  expect(toolOfResult(called, meta(claimed))).toBe(called);
});

test.each([
  ["mcp__crawler__crawl_start", "crawl.start"],
  ["mcp__my__server__start__crawl", "start__crawl"],
  ["mcp__crawler__start_crawl", "start-crawl"],
  ["mcp__my_crawler__start_the_crawl", "start-the crawl"],
  ["my_server_start_crawl", "start.crawl"],
])("the author's spelling comes back where a model's tool names can't have its characters: %s is %s", (called, claimed) => {
  expect(toolOfResult(called, meta("other", claimed))).toBe(claimed);
});

test("anything else in a result's _meta leaves the name as it was called", () => {
  for (const odd of [undefined, null, 1, [], { "ai.wakeshift/subscription": 3 }, meta(null, 4)])
    expect(toolOfResult("mcp__a__b", odd)).toBe("mcp__a__b");
});
