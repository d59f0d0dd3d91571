import { describe, expect, test } from "vitest";
import { UnknownTickets } from "./unknown-tickets.ts";

describe("tickets that a core doesn't know", () => {
  test("are limited to 5,000 in ten seconds of one address, and counted anew then", () => {
    const unknown = new UnknownTickets();
    for (let asked = 0; asked < 10; asked += 1) {
      unknown.assertRoom("192.0.2.1", asked);
      unknown.count("192.0.2.1", 500, asked);
    }
    expect(() => unknown.assertRoom("192.0.2.1", 1_000)).toThrow(
      expect.objectContaining({ code: "rate_limited", status: 429, retryAfterMs: 9_000 }),
    );
    unknown.assertRoom("192.0.2.2", 1_000);
    unknown.assertRoom("192.0.2.1", 10_000);
    unknown.count("192.0.2.1", 4_999, 10_000);
    unknown.assertRoom("192.0.2.1", 10_001);
  });

  test("are counted for no address that all clients may share", () => {
    const unknown = new UnknownTickets();
    unknown.count(undefined, 100_000, 0);
    unknown.assertRoom(undefined, 1);
  });
});
