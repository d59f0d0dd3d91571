import { describe, expect, test } from "vitest";
import { asciiJson, liveTicketsJson, wakeJson } from "./wake-json.ts";

const subscription = {
  id: "sub_1",
  appId: "app_1",
  event: "crawl.finished",
  route: "00",
  arguments: "{}",
  filter: "{}",
  user: undefined,
  client: "c",
  harness: undefined,
  conversationId: "cnv_1",
  via: "tool",
  tool: "start",
  once: true,
  createdAt: 0,
  expiresAt: 1,
  endedAt: undefined,
  endedReason: undefined,
  shape: undefined,
  stranded: false,
} as const;

describe("wakeJson", () => {
  test("says what the wake API promises, and puts the stored payload in unread", () => {
    const wake = {
      subscriptionId: "sub_1",
      seq: 7,
      occurrenceId: "evt_1",
      event: "crawl.finished",
      arguments: '{"job":"a"}',
      payload: '{"big":1e2,"a":1}',
      text: "done",
      emittedAt: 0,
    };
    const json = wakeJson(wake, { subscription, ticketId: "0123456789abcdef", app: { id: "app_1", name: "Crawler" }, leaseMs: 30_000 });
    expect(json).toContain('"payload":{"big":1e2,"a":1}');
    expect(JSON.parse(json)).toEqual({
      subscription: "sub_1",
      ticket_id: "0123456789abcdef",
      occurrence: "evt_1",
      seq: 7,
      event: "crawl.finished",
      app: { id: "app_1", name: "Crawler" },
      arguments: { job: "a" },
      text: "done",
      payload: { big: 100, a: 1 },
      timestamp: "1970-01-01T00:00:00.000Z",
      once: true,
      lease_ms: 30_000,
    });
  });
});

describe("liveTicketsJson", () => {
  const app = { id: "app_1", name: "Crawler" };

  test("says for each ticket which subscription, app, event and arguments it was issued for", () => {
    expect(
      [false, true].map((stranded) =>
        JSON.parse(
          liveTicketsJson([{ subscription: { ...subscription, arguments: '{"job":"a"}' }, ticketId: "0123456789abcdef", app, stranded }]),
        ),
      ),
    ).toEqual(
      [{}, { stranded: true }].map((mark) => [
        { ticket_id: "0123456789abcdef", subscription: "sub_1", app, event: "crawl.finished", arguments: { job: "a" }, ...mark },
      ]),
    );
    expect(liveTicketsJson([])).toBe("[]");
  });

  test("stays one event a receiver takes, however long the arguments of 500 tickets are", () => {
    const long = { ...subscription, arguments: JSON.stringify({ job: "é".repeat(2_000) }) };
    const json = liveTicketsJson(
      Array.from({ length: 500 }, () => ({ subscription: long, ticketId: "0123456789abcdef", app, stranded: false })),
    );
    expect(asciiJson(json).length).toBeLessThan(4_000_000);
    expect((JSON.parse(json) as unknown[]).length).toBeGreaterThan(50);
  });
});

describe("asciiJson", () => {
  test("leaves no character that a parser could split a line or a letter at", () => {
    const value = { text: "a\r\nevent: ended\r\ndata: {}\u2028\u2029\u0085 é 👩‍👩‍👧 \u007f" };
    const line = asciiJson(JSON.stringify(value));

    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).toEqual(value);
  });
});
