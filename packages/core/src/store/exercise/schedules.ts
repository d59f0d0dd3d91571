import assert from "node:assert/strict";
import fc from "fast-check";
import { LIMITS } from "@wakeshift/protocol";
import { Oracle } from "./oracle.ts";
import type { StoreUnderTest, Subscribed } from "./world.ts";
import { hashOf, World } from "./world.ts";

const COLORS = ["red", "blue"] as const;
const ROUTES = 3;

type Step =
  | { readonly do: "emit"; readonly routes: readonly number[]; readonly color: string }
  | {
      readonly do: "subscribe";
      readonly route: number;
      readonly color: string | undefined;
      readonly once: boolean;
      readonly replay: boolean;
    }
  | { readonly do: "claim"; readonly subscription: number; readonly taker: string; readonly limit: number }
  | { readonly do: "ack"; readonly subscription: number; readonly occurrence: number }
  | { readonly do: "release"; readonly taker: string }
  | { readonly do: "end"; readonly subscription: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "reopen" };

function steps(): fc.Arbitrary<Step[]> {
  const route = fc.nat({ max: ROUTES - 1 });
  const color = fc.constantFrom(...COLORS);
  const taker = fc.constantFrom("one", "two");
  const subscription = fc.nat({ max: 5 });
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("emit" as const), routes: fc.array(route, { minLength: 1, maxLength: 6 }), color }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("subscribe" as const),
        route,
        color: fc.option(color, { nil: undefined, freq: 2 }),
        once: fc.boolean(),
        replay: fc.boolean(),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("claim" as const), subscription, taker, limit: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("ack" as const), subscription, occurrence: fc.nat({ max: 15 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("release" as const), taker }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), subscription }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1_000, LIMITS.leaseMs - 1, LIMITS.leaseMs) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
  );
  return fc.array(step, { minLength: 15, maxLength: 60, size: "max" });
}

/** A store and its oracle, told the same. */
class Comparison {
  private readonly world: World;
  private readonly oracle = new Oracle();
  private readonly made: Subscribed[] = [];

  constructor(world: World) {
    this.world = world;
  }

  async run(step: Step): Promise<void> {
    const { world, oracle } = this;
    switch (step.do) {
      case "emit":
        return this.emitAtOnce(step.routes, step.color);
      case "subscribe":
        return this.subscribe(step.route, step.color, step.once, step.replay);
      case "claim":
        return this.claim(step.subscription, step.taker, step.limit);
      case "ack":
        return this.ack(step.subscription, step.occurrence);
      case "release":
        oracle.release(step.taker);
        return world.store.release(step.taker);
      case "end": {
        const id = this.made[step.subscription]?.subscription.id ?? "sub_none";
        assert.equal(
          await world.store.endSubscriptions({ appId: "app_a", id }, "ended", world.clock.now()),
          oracle.end(step.subscription) ? 1 : 0,
        );
        return;
      }
      case "advance":
        return void world.clock.advance(step.ms);
      case "reopen":
        oracle.restart();
        return world.reopen();
    }
  }

  /** Takes and acks all there is: each subscription must have been handed exactly what is its own. */
  async drain(): Promise<void> {
    this.world.clock.advance(LIMITS.leaseMs);
    for (const [index, subscribed] of this.made.entries()) {
      for (;;) {
        const claimed = await this.world.claim(subscribed, "last", 3);
        assert.deepEqual(claimed, this.oracle.claim(index, "last", 3, this.world.clock.monotonic(), LIMITS.leaseMs));
        if (claimed.length === 0) break;
        for (const id of claimed) assert.equal(await this.world.ack(subscribed, id), this.oracle.ack(index, id));
      }
    }
  }

  private async emitAtOnce(routes: readonly number[], color: string): Promise<void> {
    const first = this.oracle.occurrences.length;
    const emitted = routes.map((route, n) =>
      this.world.emit(`e${first + n}`, { routes: [hashOf(`route-${route}`)], payload: JSON.stringify({ color }) }),
    );
    const matched = (await Promise.all(emitted)).map((result) => result.matched);
    assert.deepEqual(
      matched,
      routes.map((route, n) => this.oracle.emit(`e${first + n}`, route, color)),
    );
  }

  private async subscribe(route: number, color: string | undefined, once: boolean, replay: boolean): Promise<void> {
    if (this.made.length > 5) return;
    this.oracle.subscribe(route, color, once, replay);
    const filter = JSON.stringify(color === undefined ? {} : { color });
    this.made.push(
      await this.world.subscribed({
        route: hashOf(`route-${route}`),
        filter,
        once,
        replaySince: replay ? 0 : undefined,
        expiresAt: Number.MAX_SAFE_INTEGER,
      }),
    );
  }

  private async claim(index: number, taker: string, limit: number): Promise<void> {
    const subscribed = this.made[index];
    if (subscribed === undefined) return;
    const expected = this.oracle.claim(index, taker, limit, this.world.clock.monotonic(), LIMITS.leaseMs);
    assert.deepEqual(await this.world.claim(subscribed, taker, limit), expected);
  }

  private async ack(index: number, occurrence: number): Promise<void> {
    const subscribed = this.made[index];
    if (subscribed === undefined) return;
    assert.equal(await this.world.ack(subscribed, `e${occurrence}`), this.oracle.ack(index, `e${occurrence}`));
  }
}

/** Random schedules against the oracle. A failure prints the shortest schedule that fails. */
export function exerciseSchedules(test: (title: string, body: () => Promise<void>) => void, open: () => Promise<StoreUnderTest>): void {
  test("agrees with an oracle on any schedule of emits, subscribes, claims, acks, ends, lease ends and reopens; nothing is lost or handed twice", async () => {
    const property = fc.asyncProperty(steps(), async (schedule) => {
      const world = await World.open(open);
      try {
        const comparison = new Comparison(world);
        for (const step of schedule) await comparison.run(step);
        await comparison.drain();
      } finally {
        await world.close();
      }
    });
    await fc.assert(property, { numRuns: 40, interruptAfterTimeLimit: 15_000 });
  });
}
