import type { EndedReason } from "@wakeshift/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store, StoreListener } from "../store/store.ts";
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

/** Follows the subscription, whose ticket was resolved a while ago. */
function follow(hub: Hub): { readonly watch: Watch; readonly ends: EndedReason[] } {
  const ends: EndedReason[] = [];
  const watch = { ticketHash: "hash", subscription: { id: "sub_1" }, route: "old" } as Watch;
  const listener: Listener = {
    look: () => undefined,
    ended: (_, reason) => void ends.push(reason),
    acked: () => undefined,
    tick: () => undefined,
  };
  hub.add(watch, listener);
  return { watch, ends };
}

test.each([0, DAY, -DAY, 40 * DAY])(
  "what ended or moved while tickets were resolved is told, whatever the wall clock does (%i ms)",
  (step) => {
    const { hub, store, pass, stepWall } = setup();
    store.ended?.([{ subscriptionId: "sub_1", reason: "revoked" }]);
    store.moved?.([{ subscriptionId: "sub_1", route: "new" }]);
    stepWall(step);
    pass(8);
    const { watch, ends } = follow(hub);
    expect([ends, watch.route]).toEqual([["revoked"], "new"]);
    hub.close();
  },
);

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
  const watch = { ticketHash: "hash", subscription: { id: "sub_1" }, route: "old" } as Watch;
  hub.add(watch, { look: () => undefined, ended: () => undefined, acked: () => undefined, tick: (now) => void ticks.push(now) });
  pass(2);
  stepWall(21 * DAY);
  pass(12);
  stepWall(-21 * DAY);
  pass(2);
  expect(ticks).toEqual(ticks.map((_tick, index) => 20_000 * DAY + (index + 1) * 1_000));
  hub.close();
});
