import { RetryLater } from "../engine/retry-later.ts";
import type { Hash } from "../engine/store.ts";
import { comeBackMs } from "./come-back.ts";

/** How many streams and long polls may be open at once. */
export interface PlaceLimits {
  /** In all. */
  readonly inAll: number;
  /** From one remote address. Not of one that all clients may share, see `clientAddress`. */
  readonly perAddress: number;
  /** Of one holder. */
  readonly perHolder: number;
}

/** Who asks for a place. */
export interface Asker {
  /** `undefined`: it isn't known. */
  readonly address: string | undefined;
  readonly holderHash: Hash;
}

/**
 * The places for whoever waits at this core. What one address or one holder may take comes before what all may, so that nobody can
 * take all there is.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #random: () => number;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  /** @param random - 0 to 1. */
  constructor(limits: PlaceLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** When to come back, so that not all do so at once. */
  retryMs(): number {
    return 1_000 + comeBackMs(this.#inAll + 100, this.#random());
  }

  /** Takes a place; what this returns gives it back. @throws RetryLater `rate_limited` where there is none */
  take({ address, holderHash }: Asker): () => void {
    const keys = [...(address === undefined ? [] : [`address ${address}`]), `holder ${holderHash}`];
    if (address !== undefined && this.#of(`address ${address}`) >= this.#limits.perAddress)
      throw this.#full("This core has as many streams and long polls from your address as it takes from one", 429);
    if (this.#of(`holder ${holderHash}`) >= this.#limits.perHolder)
      throw this.#full("This core has as many streams and long polls of this holder as one may have", 429);
    if (this.#inAll >= this.#limits.inAll) throw this.#full("This core has as many streams and long polls as it may have", 503);
    this.#inAll += 1;
    for (const key of keys) this.#taken.set(key, this.#of(key) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inAll -= 1;
      for (const key of keys) {
        const others = this.#of(key) - 1;
        if (others > 0) this.#taken.set(key, others);
        else this.#taken.delete(key);
      }
    };
  }

  #of(key: string): number {
    return this.#taken.get(key) ?? 0;
  }

  #full(sentence: string, status: number): RetryLater {
    return new RetryLater("rate_limited", `${sentence}. Come back later.`, this.retryMs(), { status });
  }
}
