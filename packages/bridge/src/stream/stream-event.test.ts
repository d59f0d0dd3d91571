import { describe, expect, test } from "vitest";
import { clampRetry, readStreamEvent } from "./stream-event.ts";

const wake = {
  subscription: "sub_1",
  ticket_id: "0123456789abcdef",
  occurrence: "evt_1",
  seq: 1,
  event: "a.b",
  app: { id: "app_1", name: "A" },
  arguments: {},
  text: "",
  payload: null,
  timestamp: "2026-01-01T00:00:00Z",
  once: false,
  lease_ms: 30_000,
};

describe("what a core's stream says", () => {
  test("is read by its name", () => {
    expect(readStreamEvent("ping", "")).toEqual({ kind: "ping" });
    expect(readStreamEvent("ready", '{"tickets":1,"ping_ms":20000}')).toEqual({ kind: "ready", ready: { tickets: 1, ping_ms: 20_000 } });
    expect(readStreamEvent("wake", JSON.stringify(wake))).toEqual({ kind: "wake", wake });
    expect(readStreamEvent("ended", '{"ticket_id":"0123456789abcdef","reason":"expired"}')).toMatchObject({
      kind: "ended",
      ended: { reason: "expired" },
    });
    expect(readStreamEvent("gap", '{"subscription":"sub_1","ticket_id":"0123456789abcdef"}')).toEqual({
      kind: "gap",
      subscription: "sub_1",
    });
    expect(readStreamEvent("retry", '{"retry_ms":50}')).toEqual({ kind: "come_back", afterMs: 50 });
  });

  test.each([
    ["an occurrence id with a newline", { occurrence: "evt_1\nx" }],
    ["an occurrence id with a slash", { occurrence: "../holder" }],
    ["an occurrence id above 256 bytes", { occurrence: "e".repeat(257) }],
    ["no app", { app: undefined }],
    ["a text above its limit", { text: "ä".repeat(2_049) }],
    ["arguments above their limit", { arguments: { a: "x".repeat(4_097) } }],
    ["a payload above its limit", { payload: "ä".repeat(131_072) }],
    ["a ticket id that is none", { ticket_id: "wkt_x" }],
  ])("a wake with %s is left alone", (_what, changes) => {
    expect(readStreamEvent("wake", JSON.stringify({ ...wake, ...changes }))).toEqual({
      kind: "unusable",
      detail: expect.stringMatching(/^its /) as string,
    });
  });

  test("a wake as large as a core accepts is taken", () => {
    const largest = { ...wake, text: "ä".repeat(2_048), payload: "x".repeat(262_142) };
    expect(readStreamEvent("wake", JSON.stringify(largest)).kind).toBe("wake");
  });

  test.each([
    ["ready", "null"],
    ["ended", "[]"],
    ["retry", '{"retry_ms":"soon"}'],
    [undefined, "{}"],
    ["__proto__", "{}"],
  ])("%s with %s is left alone", (name, data) => {
    expect(readStreamEvent(name, data).kind).toBe("other");
  });

  test("a core can't ask for an endless pause, nor for pings that never come", () => {
    expect([clampRetry(1e12), clampRetry(-5), clampRetry(Number.NaN)]).toEqual([600_000, 0, 0]);
    expect(readStreamEvent("ready", '{"tickets":1,"ping_ms":1e12}')).toMatchObject({ ready: { ping_ms: 120_000 } });
    expect(readStreamEvent("ready", '{"tickets":1,"ping_ms":0}')).toMatchObject({ ready: { ping_ms: 100 } });
  });
});
