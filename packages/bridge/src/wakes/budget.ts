/** Whether a conversation may be woken once more, and if not, when. All times monotonic, in milliseconds. */
export type BudgetDecision = { readonly allowed: true } | { readonly allowed: false; readonly inMs: number };

export const BUDGET_WINDOW_MS = 3_600_000;

/**
 * A sliding window: at most `limit` wakes within the last hour. What is over it is held, and comes later in one wake, so
 * that an app and an agent that answer each other can't go round for ever.
 *
 * @param wokenAt - earlier wakes of the conversation, oldest first.
 */
export function decideBudget(wokenAt: readonly number[], now: number, limit: number): BudgetDecision {
  const recent = wokenAt.filter((at) => now - at < BUDGET_WINDOW_MS);
  if (recent.length < limit) return { allowed: true };
  const freesUp = recent[recent.length - limit] ?? now;
  return { allowed: false, inMs: Math.max(1, freesUp + BUDGET_WINDOW_MS - now) };
}
