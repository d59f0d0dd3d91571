import { SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import { describe, expect, it } from "vitest";
import { bareToolName } from "./bare-tool-name.ts";

function metaOf(...tools: readonly unknown[]): unknown {
  return { [SUBSCRIPTION_META_KEY]: tools.map((tool) => ({ tool })) };
}

describe("the bare name of an opencode tool", () => {
  it("is what follows the server's name", () => {
    expect(bareToolName("crawler_start_crawl", ["crawler"], metaOf("start_crawl"))).toBe("start_crawl");
  });

  it("keeps the characters that opencode replaced, as the result spells them", () => {
    expect(bareToolName("my_server_start_crawl", ["my.server"], metaOf("start.crawl"))).toBe("start.crawl");
  });

  it("finds the right server among names that begin alike", () => {
    expect(bareToolName("crawler_eu_start", ["crawler", "crawler_eu"], metaOf("start"))).toBe("start");
    expect(bareToolName("crawler_eu_start", ["crawler", "crawler_eu"], metaOf("eu_start"))).toBe("eu_start");
  });

  it("isn't what a result claims if opencode's name can't stand for it", () => {
    expect(bareToolName("mail_read", ["mail", "crawler"], metaOf("start_crawl"))).toBe("read");
    expect(bareToolName("mail_crawler_start_crawl", ["mail"], metaOf("start_crawl"))).toBe("crawler_start_crawl");
  });

  it("takes the end of the name where the servers aren't known", () => {
    expect(bareToolName("crawler_start_crawl", [], metaOf("start_crawl"))).toBe("start_crawl");
    expect(bareToolName("crawler_start_crawl", [], metaOf("stop_crawl"))).toBe("crawler_start_crawl");
  });

  it("is opencode's own name for a tool of no server, and for anything odd in the result", () => {
    expect(bareToolName("bash", ["crawler"], undefined)).toBe("bash");
    expect(bareToolName("crawler_", ["crawler"], metaOf(""))).toBe("crawler_");
    for (const meta of [null, 7, "x", { [SUBSCRIPTION_META_KEY]: 7 }, metaOf(7, null, {})])
      expect(bareToolName("crawler_start", ["crawler"], meta)).toBe("start");
  });
});
