import { isProcessAlive } from "../machine/process-identity.ts";
import type { ConversationState, HandedWake } from "../program/program.ts";
import { queueHolds } from "./records/queue-store.ts";
import { isNewestTurnExec, rolloutShows } from "./records/read-rollout.ts";
import { isHeldByExec, threadState } from "./records/thread-lock.ts";

/** Looks for a wake in the thread's rollout, and in Codex's queue. */
export async function confirm(wake: HandedWake, { facts }: ConversationState): Promise<"seen" | "queued" | "unknown"> {
  if (rolloutShows(facts["rollout"] ?? "", wake)) return "seen";
  // A bridge that ended while `codex queue` ran doesn't know how that came out; Codex's queue does.
  const home = facts["codex_home"];
  return home !== undefined && home !== "" && queueHolds(home, wake) ? "queued" : "unknown";
}

/** Whether a Codex process has the thread loaded. */
export function isOpen(state: ConversationState): boolean {
  const known = threadState(state.facts["codex_home"] ?? "", state.conversation);
  if (known !== "unknown") return known === "open";
  return state.lifecycle !== "closed" && state.pid !== undefined && isProcessAlive(state.pid);
}

/** A conversation of a person that `codex exec resume` has loaded just now; its own hooks haven't reported yet. */
export function isExecRun(state: ConversationState): boolean {
  return isHeldByExec(state.facts["codex_home"] ?? "", state.conversation) ?? isNewestTurnExec(state.facts["rollout"] ?? "");
}
