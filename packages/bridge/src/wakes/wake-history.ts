import type { Clock } from "../clock.ts";
import { conversationKey } from "../state/conversations.ts";
import type { PendingWakes } from "../state/pending-wakes.ts";
import type { BudgetDecision } from "./budget.ts";
import { BUDGET_WINDOW_MS, decideBudget } from "./budget.ts";

/** When each conversation was woken. Counted on the monotonic clock; kept across restarts as ages by the wall clock. */
export class WakeHistory {
  readonly #pending: PendingWakes;
  readonly #clock: Clock;
  readonly #woken = new Map<string, number[]>();

  constructor(pending: PendingWakes, clock: Clock) {
    this.#pending = pending;
    this.#clock = clock;
  }

  decide(program: string, conversation: string, limit: number): BudgetDecision {
    return decideBudget(this.#of(program, conversation), this.#clock.monotonic(), limit);
  }

  /** Counts one wake. Saved with the pending wakes. */
  count(program: string, conversation: string): void {
    const monotonic = this.#clock.monotonic();
    const recent = this.#of(program, conversation).filter((at) => monotonic - at < BUDGET_WINDOW_MS);
    recent.push(monotonic);
    this.#woken.set(conversationKey(program, conversation), recent);
    const now = this.#clock.now();
    this.#pending.setWokenAt(
      program,
      conversation,
      recent.map((at) => Math.round(now - (monotonic - at))),
    );
  }

  #of(program: string, conversation: string): number[] {
    const key = conversationKey(program, conversation);
    const known = this.#woken.get(key);
    if (known !== undefined) return known;
    const now = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const saved = this.#pending.wokenAt(program, conversation).map((at) => monotonic - Math.min(BUDGET_WINDOW_MS, Math.max(0, now - at)));
    this.#woken.set(key, saved);
    return saved;
  }
}
