import { homedir } from "node:os";
import { join } from "node:path";
import type { ConversationState, HandedWake } from "../program/program.ts";
import { readTail } from "./transcript/read-tail.ts";
import { runningSession, type RunningSession } from "./session/session-registry.ts";
import { isInTurn, isQueued } from "./transcript/turn-evidence.ts";
import { isProcessAlive } from "../machine/process-identity.ts";

/** A wake's line is followed by copies of the request, some 200 KiB each. */
const TAIL_BYTES = 16 * 1024 * 1024;

/** Looks for a wake in the conversation's transcript: in a turn's input, or still in the queue of the running process. */
export async function confirm(wake: HandedWake, state: ConversationState): Promise<"seen" | "queued" | "unknown"> {
  const path = state.facts["transcript"];
  const transcript = path === undefined ? undefined : await readTail(path, TAIL_BYTES);
  if (transcript === undefined) return "unknown";
  const wanted = wake.occurrences.map((occurrence, place) => ({ occurrence, subscriptions: wake.subscriptions?.[place] }));
  const missing = wanted.filter(({ occurrence, subscriptions }) => !isInTurn(transcript, occurrence, subscriptions));
  if (missing.length === 0) return "seen";
  const running = sessionOf(state);
  return running?.session === state.conversation &&
    missing.every(({ occurrence, subscriptions }) => isQueued(transcript, occurrence, running.startedAt, subscriptions))
    ? "queued"
    : "unknown";
}

/** Whether the conversation is the one its process runs now. After `/clear` the same process runs another. */
export function isOpen(state: ConversationState): boolean {
  if (state.lifecycle === "closed" || state.pid === undefined || !isProcessAlive(state.pid)) return false;
  const running = sessionOf(state);
  return running === undefined || running.session === state.conversation;
}

function sessionOf(state: ConversationState): RunningSession | undefined {
  if (state.pid === undefined || !isProcessAlive(state.pid)) return undefined;
  return runningSession(state.facts["config"] ?? join(homedir(), ".claude"), state.pid);
}
