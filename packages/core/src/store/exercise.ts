import { exerciseApps, exerciseEvents, exerciseJtis } from "./exercise/apps.ts";
import { exerciseCalls } from "./exercise/calls.ts";
import { exerciseDeciding } from "./exercise/publishing/deciding.ts";
import { exerciseEmitting } from "./exercise/emitting.ts";
import { exerciseEnding, exerciseExpiry } from "./exercise/ending.ts";
import { exerciseClosing, exerciseLongClosing, exerciseRecord } from "./exercise/publishing/closing.ts";
import { exerciseForgetting, exerciseForgettingBesideOthers } from "./exercise/forgetting.ts";
import { exerciseFilters, exerciseReplay } from "./exercise/reading.ts";
import { exerciseStranding } from "./exercise/publishing/stranding.ts";
import { exerciseCeilings } from "./exercise/ceilings.ts";
import { exerciseRetention } from "./exercise/retention.ts";
import { exerciseSchedules } from "./exercise/schedules.ts";
import { exerciseSubscribing } from "./exercise/subscribing.ts";
import { exerciseTickets } from "./exercise/tickets.ts";
import { exerciseAcks, exerciseClaims, exerciseOnce } from "./exercise/waking.ts";
import { exerciseWrongClock } from "./exercise/wrong-clock.ts";
import type { StoreUnderTest } from "./exercise/world.ts";
import { World } from "./exercise/world.ts";

/**
 * The suite every implementation of the store must pass unchanged.
 * @param test Registers one test with the runner.
 * @param open Opens an implementation on an empty database of its own, with a clock that only the test moves.
 */
export function exerciseStore(test: (title: string, body: () => Promise<void>) => void, open: () => Promise<StoreUnderTest>): void {
  const exercise = (title: string, body: (world: World) => Promise<void>): void =>
    test(title, async () => {
      const world = await World.open(open);
      try {
        await body(world);
      } finally {
        await world.close();
      }
    });
  const parts = [
    exerciseApps,
    exerciseEvents,
    exerciseClosing,
    exerciseLongClosing,
    exerciseRecord,
    exerciseDeciding,
    exerciseStranding,
    exerciseJtis,
    exerciseEmitting,
    exerciseSubscribing,
    exerciseCalls,
    exerciseReplay,
    exerciseFilters,
    exerciseTickets,
    exerciseClaims,
    exerciseAcks,
    exerciseOnce,
    exerciseEnding,
    exerciseExpiry,
    exerciseWrongClock,
    exerciseRetention,
    exerciseCeilings,
    exerciseForgetting,
    exerciseForgettingBesideOthers,
  ];
  for (const part of parts) part(exercise);
  exerciseSchedules(test, open);
}
