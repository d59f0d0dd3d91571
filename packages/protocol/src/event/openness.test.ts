import { describe, expect, it } from "vitest";
import type { Via } from "../app-api.ts";
import { mayBeUsedBy, notOpen, viaOf } from "./openness.ts";

const OTHER_PATHS: readonly Via[] = ["subscribe_events", "native"];

describe("openness", () => {
  it("lets the author's tools subscribe whatever the event declares (seed-177, seed-202)", () => {
    for (const access of [undefined, [], ["personal"], ["authorize"], ["public"]] as const) expect(mayBeUsedBy(access, "tool")).toBe(true);
  });

  it("closes a tools-only event to every other path (seed-177, seed-178)", () => {
    for (const via of OTHER_PATHS) expect(mayBeUsedBy([], via)).toBe(false);
  });

  it("opens an event that declares personal, authorize or public (seed-178, seed-182)", () => {
    for (const via of OTHER_PATHS) {
      for (const access of [["personal"], ["authorize"], ["public"], ["personal", "authorize"]] as const)
        expect(mayBeUsedBy(access, via)).toBe(true);
    }
  });

  it("leaves an event open that was published without the rule (seed-272)", () => {
    for (const via of OTHER_PATHS) expect(mayBeUsedBy(undefined, via)).toBe(true);
  });
});

describe("the path of a subscription", () => {
  it("is subscribe_events for the tool of that name, even if the request says otherwise (seed-179)", () => {
    for (const via of [undefined, "tool", "native", "subscribe_events"] as const)
      expect(viaOf(via, "subscribe_events")).toBe("subscribe_events");
  });

  it("is what the request says for other tools, and the author's tool where it says nothing", () => {
    expect(viaOf(undefined, "start_crawl")).toBe("tool");
    expect(viaOf(undefined, undefined)).toBe("tool");
    expect(viaOf("native", "start_crawl")).toBe("native");
    expect(viaOf("subscribe_events", "start_crawl")).toBe("subscribe_events");
  });
});

describe("the refusal of a path that an event isn't open to", () => {
  it.each([
    ["native", "not to a client of its own accord"],
    ["subscribe_events", "not to subscribe_events"],
  ] as const)("names the event, the path (%s) and what its author can do (seed-281)", (via, path) => {
    const { code, message } = notOpen("crawl.finished", via);
    expect([code, message.includes(path)]).toEqual(["not_open", true]);
    expect(message).toMatch(/^crawl\.finished is open to its app's own tools only.*personal, authorize or public/);
  });
});
