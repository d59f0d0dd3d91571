import { RetryLater } from "../engine/retry-later.ts";

/** As many as ten streams carry. A bridge asks once for tickets that a replaced database doesn't know, and forgets them. */
const MOST = 5_000;
const WINDOW_MS = 10_000;
const MOST_ADDRESSES = 10_000;

/**
 * How many tickets that this core doesn't know each remote address has asked about lately. Each costs a look-up, and asking takes no
 * credential, so that without a limit one address could keep the core from all other work.
 */
export class UnknownTickets {
  readonly #asked = new Map<string, { count: number; readonly since: number }>();

  /** @throws RetryLater `rate_limited` if this address asked about too many. `undefined`: it isn't known, and isn't limited. */
  assertRoom(address: string | undefined, monotonicMs: number): void {
    const asked = address === undefined ? undefined : this.#asked.get(address);
    if (asked === undefined || asked.count < MOST) return;
    const leftMs = asked.since + WINDOW_MS - monotonicMs;
    if (leftMs <= 0) return;
    throw new RetryLater(
      "rate_limited",
      "Your address asked about too many tickets that this core doesn't know. Come back later.",
      leftMs,
      {
        status: 429,
      },
    );
  }

  count(address: string | undefined, unknown: number, monotonicMs: number): void {
    if (address === undefined || unknown === 0) return;
    const asked = this.#asked.get(address);
    if (asked !== undefined && monotonicMs - asked.since < WINDOW_MS) {
      asked.count += unknown;
      return;
    }
    if (this.#asked.size >= MOST_ADDRESSES) this.#asked.clear();
    this.#asked.set(address, { count: unknown, since: monotonicMs });
  }
}
