import { conversationKey } from "../state/conversations.ts";
import type { HandedWake } from "@wakeshift/programs";
import { isProcessAlive } from "@wakeshift/programs/machine";

/** How a waiter's poll ends. `time_up`: it waited as long as it was to; `nothing`: it was cut short, and may ask again. */
export type TakeEnd =
  | { readonly kind: "wake"; readonly wake: HandedWake }
  | { readonly kind: "time_up" }
  | { readonly kind: "nothing" }
  | { readonly kind: "leave" };

interface Waiter {
  readonly taker: string;
  readonly pid: number | undefined;
  /** Goes on waiting for what was promised, also beyond its time. */
  readonly hold: () => void;
  /** @returns false where the poll was over before. */
  readonly finish: (end: TakeEnd) => boolean;
}

/** The long polls that wait for a wake: at most one for each conversation. A newer taker makes the older one leave. */
export class Takers {
  readonly #waiters = new Map<string, Waiter>();

  /** Resolves when the poll is over. `signal` fires when its connection is gone. */
  wait(
    program: string,
    conversation: string,
    taker: string,
    pid: number | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<TakeEnd> {
    const key = conversationKey(program, conversation);
    const older = this.#waiters.get(key);
    return new Promise((resolve) => {
      let over = false;
      const finish = (end: TakeEnd): boolean => {
        if (over) return false;
        over = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", nothing);
        if (this.#waiters.get(key) === waiter) this.#waiters.delete(key);
        resolve(end);
        return true;
      };
      const nothing = (): void => void finish({ kind: "nothing" });
      const timer = setTimeout(() => void finish({ kind: "time_up" }), waitMs);
      const waiter: Waiter = { taker, pid, hold: () => clearTimeout(timer), finish };
      this.#waiters.set(key, waiter);
      signal.addEventListener("abort", nothing);
      older?.finish(older.taker === taker ? { kind: "nothing" } : { kind: "leave" });
      if (signal.aborted) nothing();
    });
  }

  /** Takes the waiter of a conversation out of the line: a wake is being made ready for it. */
  claim(program: string, conversation: string): Pick<Waiter, "finish"> | undefined {
    const key = conversationKey(program, conversation);
    const waiter = this.#waiters.get(key);
    waiter?.hold();
    this.#waiters.delete(key);
    return waiter;
  }

  has(program: string, conversation: string): boolean {
    return this.#waiters.has(conversationKey(program, conversation));
  }

  finish(program: string, conversation: string, end: TakeEnd): void {
    this.#waiters.get(conversationKey(program, conversation))?.finish(end);
  }

  /** Lets go of waiters whose program has ended. */
  dropDead(): void {
    for (const waiter of [...this.#waiters.values()]) dropWhereDead(waiter);
  }

  /** Lets go of a conversation's waiter if its program has ended. */
  dropDeadOf(program: string, conversation: string): void {
    const waiter = this.#waiters.get(conversationKey(program, conversation));
    if (waiter !== undefined) dropWhereDead(waiter);
  }

  close(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.finish({ kind: "nothing" });
  }
}

function dropWhereDead(waiter: Waiter): void {
  if (waiter.pid !== undefined && !isProcessAlive(waiter.pid)) waiter.finish({ kind: "leave" });
}
