import { describe, expect, test } from "vitest";
import { chooseWay, countWithheld, fateOfStream } from "./stream-or-poll.ts";
import type { StreamFacts, StreamFate } from "./stream-or-poll.ts";

const HELD: StreamFacts = { isAsked: true, isHeard: false, isFlowing: false, end: "silent" };

describe("whether a core is streamed from or polled (PC-52)", () => {
  test.each<[string, Partial<StreamFacts>, StreamFate]>([
    ["of which nothing arrived", {}, "withheld"],
    ["cut or answered by something else before its first event", { end: "over" }, "withheld"],
    ["that fell silent right after its first events", { isHeard: true }, "withheld"],
    ["that fell silent after it had run", { isHeard: true, isFlowing: true }, "flowed"],
    ["that the core ended right after its first events", { isHeard: true, end: "over" }, "untested"],
    ["never asked for, since no core answered", { isAsked: false, end: "over" }, "untested"],
    ["that the core refused", { end: "refused" }, "untested"],
    ["that the bridge closed", { end: "left" }, "untested"],
  ])("a stream %s is judged by what came through", (_what, changes, fate) => {
    expect(fateOfStream({ ...HELD, ...changes })).toBe(fate);
  });

  test("it is polled after three withheld streams, untested ones between them or not, and streamed from after one that flowed", () => {
    const way = (...fates: StreamFate[]): string => chooseWay(fates.reduce(countWithheld, 0));
    expect(way("withheld", "withheld")).toBe("stream");
    expect(way("withheld", "untested", "withheld", "withheld")).toBe("poll");
    expect(way("withheld", "withheld", "flowed", "withheld")).toBe("stream");
    expect(way("withheld", "withheld", "withheld", "withheld", "untested")).toBe("poll");
    expect(way("withheld", "withheld", "withheld", "withheld", "flowed")).toBe("stream");
  });
});
