import type { WakeshiftError } from "@wakeshift/protocol";
import type { StoreHealth, StoreListener } from "../../engine/store.ts";
import { storageFailure } from "./file/storage-failure.ts";

export interface StorageHealthParts {
  /** Runs `work` in a transaction of its own. */
  readonly write: (work: () => void) => Promise<void>;
  /** The smallest write. */
  readonly touch: () => void;
  /** A write as large as an emit may be. */
  readonly fill: () => void;
  /** Takes away what `fill` wrote. */
  readonly empty: () => void;
  readonly listeners: Iterable<StoreListener>;
}

/**
 * Whether the storage takes writes. What is refused once counts as refused until a write as large as an emit may be has succeeded:
 * a small one fits into the room that the database's own files still have on a full disk.
 */
export class StorageHealth {
  readonly #parts: StorageHealthParts;
  #refusal: WakeshiftError | undefined;

  constructor(parts: StorageHealthParts) {
    this.#parts = parts;
  }

  get isRefusing(): boolean {
    return this.#refusal !== undefined;
  }

  /** Called for each transaction that the storage refused. */
  refused(failure: WakeshiftError): void {
    const known = this.#refusal?.code === failure.code;
    this.#refusal = failure;
    if (!known) for (const listener of [...this.#parts.listeners]) listener.refused?.(failure);
  }

  async check(): Promise<StoreHealth> {
    const { write, touch, fill, empty, listeners } = this.#parts;
    const before = this.#refusal;
    try {
      await write(before === undefined ? touch : fill);
      if (before !== undefined) await write(empty);
    } catch (error) {
      return { writable: false, failure: storageFailure(error) };
    }
    // Something else may have been refused in between, or found to be taken again.
    if (this.#refusal !== before) return this.#refusal === undefined ? { writable: true } : { writable: false, failure: this.#refusal };
    if (before === undefined) return { writable: true };
    this.#refusal = undefined;
    for (const listener of [...listeners]) listener.recovered?.();
    return { writable: true };
  }
}
