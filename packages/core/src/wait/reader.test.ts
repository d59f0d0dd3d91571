import type { Ended } from "@wakeshift/protocol";
import { describe, expect, test, vi } from "vitest";
import type { ClaimResult, Store, StoreListener, SubscriptionRecord, TicketResolution } from "../engine/store.ts";
import { Hub } from "./hub.ts";
import { Reader } from "./reader.ts";
import type { ReaderParts } from "./reader.ts";
import type { WakeSink } from "./wake-sink.ts";

const NOTHING: ClaimResult = { wakes: [], gap: false, retryInMs: undefined };
const SUBSCRIPTION = { id: "sub_1", appId: "app_1", route: "r1", once: false, expiresAt: Number.MAX_SAFE_INTEGER } as SubscriptionRecord;

/** A store whose claims a test answers, to bring about orders of events that a real one rarely shows. */
function setup(claim: (taker: string) => Promise<ClaimResult>): {
  parts: ReaderParts;
  listener: StoreListener;
  faults: unknown[];
  resolutions: TicketResolution[];
} {
  let listener: StoreListener = {};
  const resolutions: TicketResolution[] = [{ kind: "live", ticketHash: "0".repeat(64), subscription: SUBSCRIPTION }];
  const store = {
    listen: (added: StoreListener) => {
      listener = added;
      return () => undefined;
    },
    resolveTickets: () => Promise.resolve(resolutions),
    claim: (_id: string, taker: string) => claim(taker),
    release: () => Promise.resolve(),
  } as unknown as Store;
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const faults: unknown[] = [];
  const hub = new Hub(store, clock);
  const appOf = (id: string): Promise<{ id: string; name: string }> => Promise.resolve({ id, name: "Crawler" });
  return {
    parts: { store, core: { id: "core_1", version: "1" }, hub, clock, leaseMs: 1_500, appOf, onFault: (fault) => faults.push(fault) },
    listener,
    faults,
    resolutions,
  };
}

function collect(): WakeSink & { readonly wakes: string[]; readonly ends: Ended[] } {
  const wakes: string[] = [];
  const ends: Ended[] = [];
  return {
    wakes,
    ends,
    hasRoom: () => true,
    wake: (json) => void wakes.push(json),
    ended: (ended) => void ends.push(ended),
    gap: () => undefined,
    stranded: () => undefined,
  };
}

const wake = (n: number): ClaimResult["wakes"][number] => ({
  subscriptionId: "sub_1",
  seq: n,
  occurrenceId: `evt_${n}`,
  event: "e.x",
  arguments: "{}",
  payload: "{}",
  text: "",
  emittedAt: 0,
});

describe("Reader", () => {
  test("an end that came while the tickets were being resolved is told", async () => {
    const { parts, listener } = setup(() => Promise.resolve(NOTHING));
    const sink = collect();
    const reader = new Reader(parts, sink, "t1");
    const resolving = reader.resolve({ hashes: ["0".repeat(64)], malformed: [] }, "h");
    listener.ended?.([{ subscriptionId: "sub_1", reason: "ended" }]);
    reader.follow(await resolving);
    expect(sink.ends).toEqual([{ subscription: "sub_1", ticket_id: "0".repeat(16), reason: "ended" }]);
    await reader.close(true);
  });

  test("a ticket that a newer one replaced is told so, and its subscription goes on", async () => {
    const { parts, listener } = setup(() => Promise.resolve(NOTHING));
    const sink = collect();
    const reader = new Reader(parts, sink, "t1");
    reader.follow(await reader.resolve({ hashes: ["0".repeat(64)], malformed: [] }, "h"));
    listener.retired?.(["1".repeat(64)]);
    expect(sink.ends).toEqual([]);
    listener.retired?.(["0".repeat(64)]);
    expect(sink.ends).toEqual([{ subscription: "sub_1", ticket_id: "0".repeat(16), reason: "replaced" }]);
    await reader.close(true);
  });

  test("what was leased for a subscription that ended meanwhile doesn't leave any more", async () => {
    let answer: (result: ClaimResult) => void = () => undefined;
    const { parts, listener } = setup(() => new Promise((resolve) => (answer = resolve)));
    const sink = collect();
    const reader = new Reader(parts, sink, "t1");
    reader.follow(await reader.resolve({ hashes: ["0".repeat(64)], malformed: [] }, "h"));
    reader.resume();
    await new Promise((resolve) => setImmediate(resolve));
    listener.ended?.([{ subscriptionId: "sub_1", reason: "revoked" }]);
    answer({ wakes: [wake(1)], gap: false, retryInMs: undefined });
    await reader.settled();
    expect(sink.wakes).toEqual([]);
    expect(sink.ends).toHaveLength(1);
    await reader.close(true);
  });

  test("a fault of the store is told, and tried again by itself", async () => {
    let tries = 0;
    const { parts, faults } = setup(() =>
      (tries += 1) === 1 ? Promise.reject(new Error("disk")) : Promise.resolve({ ...NOTHING, wakes: [wake(1)] }),
    );
    const sink = collect();
    const reader = new Reader(parts, sink, "t1");
    reader.follow(await reader.resolve({ hashes: ["0".repeat(64)], malformed: [] }, "h"));
    reader.resume();
    await vi.waitFor(() => expect(sink.wakes).toHaveLength(1), 45_000);
    expect(faults).toHaveLength(1);
    await reader.close(true);
  });

  test("a taker whose lease ran out lets the others of its subscription look first", async () => {
    const order: string[] = [];
    const { parts } = setup((taker) => {
      order.push(taker);
      return Promise.resolve(taker === "t1" && order.length === 1 ? { ...NOTHING, wakes: [wake(1)] } : NOTHING);
    });
    const first = new Reader(parts, collect(), "t1");
    const second = new Reader(parts, collect(), "t2");
    for (const reader of [first, second]) {
      reader.follow(await reader.resolve({ hashes: ["0".repeat(64)], malformed: [] }, "h"));
      reader.resume();
      await reader.settled();
    }
    expect(order).toEqual(["t1", "t2"]);
    await vi.waitFor(() => expect(order.length).toBeGreaterThanOrEqual(4), 45_000);
    expect(order.slice(2, 4)).toEqual(["t2", "t1"]);
    await first.close(true);
    await second.close(true);
  });
});
