import { describe, expect, test } from "vitest";
import type { SubscriptionEntry } from "./subscription-entries.ts";
import { TicketBook, isAsClaimed } from "./ticket-book.ts";

function entry(ticket: string, id: string, changes: Partial<SubscriptionEntry> = {}): SubscriptionEntry {
  const core = { base: "https://wake.example.com", origin: "https://wake.example.com" };
  return {
    core,
    ticket,
    id,
    app: { id: "app_1", name: "A" },
    event: "a.b",
    arguments: { x: 1, y: 2 },
    once: false,
    expiresAt: 1,
    ...changes,
  };
}

const ids = (book: TicketBook): string[] => book.current().map((ticket) => ticket.ticket);

describe("tickets of one machine", () => {
  test("the same ticket again stays with the conversation it came to first", () => {
    const book = new TicketBook([]);
    book.add(entry("t1", "sub_1"), "codex", "one");
    expect(book.add(entry("t1", "sub_1"), "codex", "two")).toMatchObject({ isNew: false, ticket: { conversation: "one" } });
  });

  test("the newest of the same conversation, app, event and arguments supersedes the older", () => {
    const book = new TicketBook([]);
    book.add(entry("t1", "sub_1"), "codex", "one");
    const added = book.add(entry("t2", "sub_2", { arguments: { y: 2, x: 1 } }), "codex", "one");
    expect(added.superseded.map((ticket) => ticket.ticket)).toEqual(["t1"]);
    expect(ids(book)).toEqual(["t2"]);
    expect(book.all()).toHaveLength(2);
  });

  test.each([
    ["another conversation", {}, "two"],
    ["another app", { app: { id: "app_2", name: "A" } }, "one"],
    ["another event", { event: "a.c" }, "one"],
    ["other arguments", { arguments: { x: 1 } }, "one"],
    ["another core", { core: { base: "https://other.example.com", origin: "https://other.example.com" } }, "one"],
  ])("%s supersedes nothing", (_what, changes, conversation) => {
    const book = new TicketBook([]);
    book.add(entry("t1", "sub_1"), "codex", "one");
    expect(book.add(entry("t2", "sub_2", changes), "codex", conversation).superseded).toEqual([]);
  });

  test("a renewed subscription keeps its older ticket until the newer one is live, and supersedes nothing", () => {
    const book = new TicketBook([]);
    book.add(entry("t1", "sub_1"), "codex", "one");
    const { ticket, superseded } = book.add(entry("t2", "sub_1"), "codex", "one");
    expect([superseded, ids(book)]).toEqual([[], ["t2"]]);
    expect(book.olderThan(ticket).map((older) => older.ticket)).toEqual(["t1"]);
  });

  test("what a newer ticket superseded stays when that one goes, for whatever reason", () => {
    const book = new TicketBook([]);
    book.add(entry("t1", "sub_1"), "codex", "one");
    const { ticket } = book.add(entry("made-up", "sub_9"), "codex", "one");
    expect(ids(book)).toEqual(["made-up"]);
    expect(book.supersededBy(ticket).map((older) => older.ticket)).toEqual(["t1"]);
    book.remove(ticket);
    expect(ids(book)).toEqual(["t1"]);
    expect(book.supersededBy(ticket)).toEqual([]);
  });

  test.each([
    ["the very same, in another order", {}, true],
    ["another subscription", { subscription: "sub_2" }, false],
    ["another app", { app: { id: "app_2", name: "A" } }, false],
    ["another event", { event: "a.c" }, false],
    ["other arguments", { arguments: { x: 1, y: 3 } }, false],
    ["arguments that are no plain JSON", { arguments: { x: 1, y: "\ud800" } }, false],
    ["another ticket", { ticket_id: "0".repeat(16) }, false],
  ])("the core's word on a ticket agrees with its entry for %s: %s", (_what, changes, agrees) => {
    const { ticket } = new TicketBook([]).add(entry("t1", "sub_1"), "codex", "one");
    const app = { id: "app_1", name: "another name" };
    const confirmed = { ticket_id: ticket.ticketId, subscription: "sub_1", app, event: "a.b", arguments: { y: 2, x: 1 }, ...changes };
    expect(isAsClaimed(ticket, confirmed)).toBe(agrees);
  });

  test("a ticket the core says nothing of isn't confirmed", () => {
    const { ticket } = new TicketBook([]).add(entry("t1", "sub_1"), "codex", "one");
    expect(isAsClaimed(ticket, undefined)).toBe(false);
  });
});
