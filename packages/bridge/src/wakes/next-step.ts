import type { PendingStatus, SettingsAnswer } from "../local-api.ts";
import type { BudgetDecision } from "./budget.ts";

/** What is known when a conversation has wakes that nobody has yet. */
export interface Situation {
  readonly budget: BudgetDecision;
  /** A waiting hook or plugin asks for the wake right now. */
  readonly hasTaker: boolean;
  readonly isOpen: boolean;
  readonly unattended: boolean;
  readonly delivery: "taken" | "pushed";
  readonly canResume: boolean;
  readonly resume: SettingsAnswer["resume"];
  /** The program is being handed another wake of this conversation. */
  readonly isBusy: boolean;
  /** After a failed or postponed attempt. */
  readonly isPaused: boolean;
}

export type NextStep = { readonly do: "hand" | "push" | "resume" } | { readonly do: "hold"; readonly why: PendingStatus["state"] };

/**
 * What is done with pending wakes. A closed conversation is started again only where the user said so; an unattended run
 * is never pushed to while it runs, since some programs lose such messages at their end.
 */
export function nextStep(situation: Situation): NextStep {
  if (!situation.budget.allowed) return { do: "hold", why: "over_budget" };
  if (situation.isPaused) return { do: "hold", why: "failed" };
  if (situation.hasTaker) return { do: "hand" };
  if (situation.isBusy) return { do: "hold", why: "queued" };
  if (situation.isOpen) {
    return situation.delivery === "pushed" && !situation.unattended ? { do: "push" } : { do: "hold", why: "no_taker" };
  }
  const mayResume = situation.resume === "always" || (situation.resume === "unattended" && situation.unattended);
  return mayResume && situation.canResume ? { do: "resume" } : { do: "hold", why: "conversation_closed" };
}
