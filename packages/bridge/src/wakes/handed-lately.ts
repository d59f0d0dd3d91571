import type { PendingWake } from "../state/pending-wakes.ts";

const MOST = 500;

/** Wakes reported as handed whose turn may still be reported as seen, by the delivery that handed them. In memory: it is for the timeline only. */
export class HandedLately {
  readonly #wakes = new Map<string, readonly PendingWake[]>();

  remember(delivery: string, wakes: readonly PendingWake[]): void {
    this.#wakes.set(delivery, wakes);
    for (const oldest of this.#wakes.keys()) {
      if (this.#wakes.size <= MOST) break;
      this.#wakes.delete(oldest);
    }
  }

  /** What the delivery handed; each is given once. */
  take(delivery: string): readonly PendingWake[] {
    const wakes = this.#wakes.get(delivery) ?? [];
    this.#wakes.delete(delivery);
    return wakes;
  }
}
