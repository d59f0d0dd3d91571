import type { EndedReason } from "@wakeshift/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store, StoreListener, SubscriptionRecord } from "../engine/store.ts";
import { Hub } from "./hub.ts";
import type { Listener } from "./hub.ts";
import type { Watch } from "./watch.ts";

const DAY = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setup(): { hub: Hub; store: StoreListener; pass: (seconds: number) => void; stepWall: (ms: number) => void } {
  let store: StoreListener = {};
  const clock = { wall: 20_000 * DAY, elapsed: 0, now: () => clock.wall, monotonic: () => clock.elapsed };
  const listen = (added: StoreListener): (() => void) => {
    store = added;
    return () => undefined;
  };
  const hub = new Hub({ listen } as unknown as Store, clock);
  const pass = (seconds: number): void => {
    for (let left = seconds; left > 0; left -= 1) {
      clock.wall += 1_000;
      clock.elapsed += 1_000;
      vi.advanceTimersByTime(1_000);
    }
  };
  return { hub, store, pass, stepWall: (ms) => void (clock.wall += ms) };
}

function watchOf(subscription: Partial<SubscriptionRecord>): Watch {
  const facts = { route: "route", appId: "app_1", event: "crawl.finished", ...subscription } as SubscriptionRecord;
  return {
    ticketHash: "hash",
    ticketId: "id",
    subscription: facts,
    app: { id: "app_1", name: "A" },
    stranded: false,
    outstanding: new Map(),
    retryAt: undefined,
  };
}

/** Follows the subscription, whose ticket was resolved a while ago. */
function follow(hub: Hub): { readonly ends: EndedReason[] } {
  const ends: EndedReason[] = [];
  const watch = watchOf({ id: "sub_1" });
  const listener: Listener = {
    look: () => undefined,
    ended: (_, reason) => void ends.push(reason),
    stranded: () => undefined,
    acked: () => undefined,
    tick: () => undefined,
  };
  hub.add(watch, listener);
  return { ends };
}

test.each([0, DAY, -DAY, 40 * DAY])("what ended while tickets were resolved is reported, whatever the wall clock does (%i ms)", (step) => {
  const { hub, store, pass, stepWall } = setup();
  store.ended?.([{ subscriptionId: "sub_1", reason: "revoked" }]);
  stepWall(step);
  pass(8);
  expect(follow(hub).ends).toEqual(["revoked"]);
  hub.close();
});

test.each([0, DAY, -DAY])("it is remembered for no longer than that (%i ms)", (step) => {
  const { hub, store, pass, stepWall } = setup();
  store.ended?.([{ subscriptionId: "sub_1", reason: "revoked" }]);
  store.retired?.(["hash"]);
  stepWall(step);
  pass(12);
  expect(follow(hub).ends).toEqual([]);
  hub.close();
});

test("readers are told the believed time, by which subscriptions end: not that of a wall clock that is wrong for a moment", () => {
  const { hub, pass, stepWall } = setup();
  const ticks: number[] = [];
  const watch = watchOf({ id: "sub_1" });
  hub.add(watch, {
    look: () => undefined,
    ended: () => undefined,
    stranded: () => undefined,
    acked: () => undefined,
    tick: (now) => void ticks.push(now),
  });
  pass(2);
  stepWall(21 * DAY);
  pass(12);
  stepWall(-21 * DAY);
  pass(2);
  expect(ticks).toEqual(ticks.map((_tick, index) => 20_000 * DAY + (index + 1) * 1_000));
  hub.close();
});

test("a publish that changes an event's shape reaches the readers of its subscriptions, those of another shape as stranded", () => {
  const { hub, store } = setup();
  const said: [string, boolean][] = [];
  for (const [id, over] of Object.entries({
    old: {},
    back: { shape: "new" },
    before: { shape: undefined },
    other: { event: "a.b" },
    app: { appId: "app_2" },
  })) {
    const listener = { look: () => undefined, ended: () => undefined, acked: () => undefined, tick: () => undefined };
    hub.add(watchOf({ id, shape: "old", ...over }), {
      ...listener,
      stranded: ({ subscription }, stranded) => void said.push([subscription.id, stranded]),
    });
  }
  store.reshaped?.([{ appId: "app_1", event: "crawl.finished", shape: "new" }]);
  expect(said).toEqual([
    ["old", true],
    ["back", false],
  ]);
  hub.close();
});
