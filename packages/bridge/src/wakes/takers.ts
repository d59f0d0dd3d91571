import { conversationKey } from "../state/conversations.ts";
import { isProcessAlive } from "../files/process-identity.ts";
import type { HandedWake } from "../programs/program.ts";

/** How a waiter's poll ends. */
export type TakeEnd = { readonly kind: "wake"; readonly wake: HandedWake } | { readonly kind: "nothing" } | { readonly kind: "leave" };

interface Waiter {
  readonly taker: string;
  readonly pid: number | undefined;
  readonly finish: (end: TakeEnd) => void;
}

/** The long polls that wait for a wake: at most one for each conversation. A newer taker makes the older one leave. */
export class Takers {
  readonly #waiters = new Map<string, Waiter>();

  /** Resolves when the poll is over. `signal` fires when its connection is gone. */
  wait(program: string, conversation: string, taker: string, pid: number | undefined, waitMs: number, signal: AbortSignal): Promise<TakeEnd> {
    const key = conversationKey(program, conversation);
    const older = this.#waiters.get(key);
    return new Promise((resolve) => {
      const finish = (end: TakeEnd): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", nothing);
        if (this.#waiters.get(key) === waiter) this.#waiters.delete(key);
        resolve(end);
      };
      const nothing = (): void => finish({ kind: "nothing" });
      const waiter: Waiter = { taker, pid, finish };
      const timer = setTimeout(nothing, waitMs);
      this.#waiters.set(key, waiter);
      signal.addEventListener("abort", nothing);
      older?.finish(older.taker === taker ? { kind: "nothing" } : { kind: "leave" });
      if (signal.aborted) nothing();
    });
  }

  has(program: string, conversation: string): boolean {
    return this.#waiters.has(conversationKey(program, conversation));
  }

  finish(program: string, conversation: string, end: TakeEnd): void {
    this.#waiters.get(conversationKey(program, conversation))?.finish(end);
  }

  /** Lets go of waiters whose program has ended. */
  dropDead(): void {
    for (const waiter of [...this.#waiters.values()]) {
      if (waiter.pid !== undefined && !isProcessAlive(waiter.pid)) waiter.finish({ kind: "leave" });
    }
  }

  close(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.finish({ kind: "nothing" });
  }
}
