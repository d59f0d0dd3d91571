import { expect, it } from "vitest";
import { bareToolName } from "./tool-name.ts";

const meta = (...tools: string[]): unknown => ({ "ai.wakeshift/subscription": tools.map((tool) => ({ v: 1, tool })) });

it("is what follows the server's name", () => {
  expect(bareToolName("mcp__crawler__start_crawl", undefined)).toBe("start_crawl");
  expect(bareToolName("mcp__plugin_tools_crawler__start_crawl", meta("start_crawl"))).toBe("start_crawl");
});

it("is the name the entries claim, where a server's name holds the separator", () => {
  expect(bareToolName("mcp__my__server__start__crawl", meta("start__crawl"))).toBe("start__crawl");
  expect(bareToolName("mcp__my__server__crawl", meta("crawl"))).toBe("crawl");
});

it("is the author's spelling, where a model's tool names can't have its characters", () => {
  expect(bareToolName("mcp__crawler__crawl_start", meta("crawl.start"))).toBe("crawl.start");
});

it("isn't what another tool's entries claim", () => {
  expect(bareToolName("mcp__crawler__start_crawl", meta("delete_site"))).toBe("start_crawl");
  expect(bareToolName("mcp__crawler__start_crawl", meta("crawl"))).toBe("start_crawl");
});

it("survives anything in the meta", () => {
  for (const odd of [null, 1, [], { "ai.wakeshift/subscription": 3 }, { "ai.wakeshift/subscription": [null, 1, { tool: 4 }] }])
    expect(bareToolName("mcp__a__b", odd)).toBe("b");
});
