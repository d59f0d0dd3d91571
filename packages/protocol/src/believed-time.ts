/** How far the wall clock may run ahead of what was believed, without a doubt. */
const SLACK_MS = 60_000;
/** A step ahead that lasts so long is no mistake: the machine slept, or its clock was wrong before. */
const HELD_MS = 3_600_000;

/**
 * The wall clock, for what is forgotten by its age: a clock that jumps ahead, by days, is believed only once it has stayed there
 * for an hour, so that one that was set wrong for a moment makes nothing old. A step back is believed at once: it makes nothing
 * older.
 */
export class BelievedTime {
  #believed: number | undefined;
  #lookedAt = 0;
  #aheadSince: number | undefined;

  /**
   * Returns whole milliseconds, as a wall clock does: what is stored by them takes no fraction.
   *
   * @param wall - whole milliseconds since 1970.
   * @param monotonic - milliseconds that only grow; a machine's come in fractions.
   */
  at(wall: number, monotonic: number): number {
    const expected = (this.#believed ?? wall) + (this.#believed === undefined ? 0 : Math.max(0, monotonic - this.#lookedAt));
    this.#lookedAt = monotonic;
    if (wall <= expected + SLACK_MS) this.#aheadSince = undefined;
    else if (monotonic - (this.#aheadSince ??= monotonic) < HELD_MS) return Math.floor((this.#believed = expected));
    else this.#aheadSince = undefined;
    return (this.#believed = wall);
  }
}
