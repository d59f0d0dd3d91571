import { expect, test } from "vitest";
import { describeTool } from "./describe-tool.ts";

const SENTENCE =
  "This tool is how the app notifies you of crawl.finished: it subscribes this conversation, which gets a new turn when it happens, so there is nothing to poll for.";

test.each([
  ["Crawl a site.", `Crawl a site. ${SENTENCE}`],
  ["Crawl a site", `Crawl a site. ${SENTENCE}`],
  ["Crawl a site  ", `Crawl a site. ${SENTENCE}`],
  ["Crawl a site!", `Crawl a site! ${SENTENCE}`],
  ["Crawl (the whole site.)", `Crawl (the whole site.) ${SENTENCE}`],
  ["サイトを巡回する。", `サイトを巡回する。 ${SENTENCE}`],
  ["", SENTENCE],
  ["Crawl a site\nUse it wisely", `Crawl a site\nUse it wisely\n\n${SENTENCE}`],
])("adds one sentence to %j, with a period before it where one line lacks it (seed-135, seed-136)", (description, amended) => {
  expect(describeTool(description, ["crawl.finished"])).toBe(amended);
});

test("names every event in that sentence", () => {
  expect(describeTool("", ["a.b", "c.d"])).toContain("notifies you of a.b and c.d:");
  expect(describeTool("", ["a.b", "c.d", "e.f"])).toContain("notifies you of a.b, c.d and e.f:");
});

test("says nothing of a tool without events", () => {
  expect(describeTool("Crawl", [])).toBe("Crawl");
});
