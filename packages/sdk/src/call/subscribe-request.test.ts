import { expect, test } from "vitest";
import type { SubscribeOptions } from "./call.ts";
import { readSubscribeOptions } from "./subscribe-request.ts";

test("reads once, ttl and replay, as text or milliseconds (seed-123, seed-124)", () => {
  expect(readSubscribeOptions({ once: true, ttl: "24h", replay: "10m", context: { a: 1 } })).toEqual({
    once: true,
    ttl_ms: 86_400_000,
    replay_ms: 600_000,
  });
  expect(readSubscribeOptions({ ttl: 60_000, replay: 86_400_000 })).toEqual({ ttl_ms: 60_000, replay_ms: 86_400_000 });
  expect(readSubscribeOptions({})).toEqual({});
});

test.each([
  [{ replay: "25h" }, "replay_too_long"],
  [{ replay: 86_400_001 }, "replay_too_long"],
  [{ ttl: "59s" }, "bad_request"],
  [{ ttl: "31d" }, "bad_request"],
  [{ ttl: "soon" }, "bad_request"],
  [{ ttl: 0.5 }, "bad_request"],
  [{ replay: -1 }, "bad_request"],
  [{ once: "yes" }, "bad_request"],
])("refuses %j with %s (seed-126)", (options, code) => {
  expect(() => readSubscribeOptions(options as SubscribeOptions)).toThrow(expect.objectContaining({ code }));
});
