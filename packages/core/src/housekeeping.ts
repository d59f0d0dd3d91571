import { BelievedTime } from "@wakeshift/protocol";
import type { CoreLogger } from "./logger.ts";
import type { Store } from "./engine/store.ts";

/** What housekeeping works on. */
export interface HousekeepingParts {
  readonly store: Pick<Store, "prune">;
  readonly clock: { now(): number; monotonic(): number };
  readonly log: CoreLogger;
  readonly retentionMs: number;
}

const PAUSE_MS = 5_000;
/** Between two steps while there is more to do: other work comes in between. */
const BREATH_MS = 20;

/**
 * Prunes in small steps, for ever, by a time that a wall clock set wrong for a moment doesn't move. A step that fails is tried
 * again. Stop it with what this returns, which waits for the step in hand.
 */
export function startHousekeeping({ store, clock, log, retentionMs }: HousekeepingParts): () => Promise<void> {
  const time = new BelievedTime();
  const now = (): number => time.at(clock.now(), clock.monotonic());
  now();
  let stopped = false;
  let step = Promise.resolve();
  let timer: NodeJS.Timeout;
  const plan = (delayMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      step = store.prune(now(), retentionMs).then(
        (more) => plan(more ? BREATH_MS : PAUSE_MS),
        (error: unknown) => {
          log.warn({ err: error }, "housekeeping failed; it is tried again");
          plan(PAUSE_MS);
        },
      );
    }, delayMs);
    timer.unref();
  };
  plan(PAUSE_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
    return step;
  };
}
