import { describe, expect, it } from "vitest";
import { isEventName } from "./event-name.ts";

describe("event names", () => {
  it("are dotted lowercase words (seed-10)", () => {
    for (const name of ["crawl.finished", "ci.finished", "game.turn", "a", "a.b.c.d.e", "build_2.done-now", "x".repeat(64)]) {
      expect(isEventName(name)).toBe(true);
    }
  });

  it("are nothing else: capitals, empty words, six words, spaces, 65 characters, a newline, our own prefix", () => {
    for (const name of [
      "",
      "Crawl.finished",
      "crawl..finished",
      ".a",
      "a.",
      "a.b.c.d.e.f",
      "1a",
      "a.1",
      "a b",
      "x".repeat(65),
      "a\n",
      "wakeshift.ended",
      "crawl.fertig.ä",
    ]) {
      expect(isEventName(name)).toBe(false);
    }
  });

  it("may begin with wakeshift as a word of another name", () => {
    expect(isEventName("wakeshifter.done")).toBe(true);
  });
});
