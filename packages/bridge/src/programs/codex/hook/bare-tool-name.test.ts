import { expect, test } from "vitest";
import { bareToolName } from "./bare-tool-name.ts";

test("takes the server's name off a tool", () => {
  expect(bareToolName("mcp__crawler__start_crawl", [])).toBe("start_crawl");
});

test("leaves a tool that belongs to no MCP server as it is", () => {
  expect(bareToolName("shell", ["start_crawl"])).toBe("shell");
});

test("finds the tool behind a server whose own name holds the separator", () => {
  expect(bareToolName("mcp__my__crawler__start_crawl", ["start_crawl"])).toBe("start_crawl");
});

test("gives a tool its own spelling back where the model may not use it", () => {
  expect(bareToolName("mcp__crawler__start_crawl", ["start.crawl"])).toBe("start.crawl");
  expect(bareToolName("mcp__crawler__start_crawl", ["start-crawl"])).toBe("start-crawl");
  expect(bareToolName("mcp__my_crawler__start_the_crawl", ["start-the crawl"])).toBe("start-the crawl");
  expect(bareToolName("mcp__crawler__start-crawl", ["start-crawl"])).toBe("start-crawl");
});

test("doesn't take the name of a tool that only ends alike", () => {
  expect(bareToolName("mcp__crawler__restart_crawl", ["start_crawl", ""])).toBe("restart_crawl");
});
