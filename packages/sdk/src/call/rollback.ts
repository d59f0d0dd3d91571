import { WakeshiftError } from "@wakeshift/protocol";
import type { AppClient } from "../client/app-client.ts";
import type { LogBook } from "../log/log-book.ts";

/** A failed call's answer waits for the first try: a core that is away must not hold it any longer than this. */
const FIRST_TRY_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const KEPT = 10_000;
const OVERDUE_MS = 5_000;

/** Ends what failed calls subscribed, and keeps at it in the background until the core has taken it. */
export interface Rollback {
  /** Resolves after the first try, whatever became of it, within a second. Never rejects. */
  undo(callId: string): Promise<void>;
}

/** What {@link createRollback} needs. */
export interface RollbackOptions {
  readonly client: AppClient;
  readonly log: LogBook;
  readonly timeoutMs: number;
  readonly monotonic: () => number;
  readonly random: () => number;
}

export function createRollback(options: RollbackOptions): Rollback {
  const { client, log, timeoutMs, monotonic, random } = options;
  const waiting: Set<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  let pause = FIRST_PAUSE_MS;

  /** true: nothing more to do for this one. */
  async function attempt(callId: string, limitMs: number): Promise<boolean> {
    try {
      await client.send("POST", "/event-subscriptions/rollback", { call_id: callId }, monotonic() + limitMs);
      return true;
    } catch (error) {
      if (!WakeshiftError.isInstance(error)) return false;
      if (error.retryable || error.code === "bad_response") return false;
      log.tell({ level: "error", code: "rollback_failed", message: `A failed call's subscription could not be ended: ${error.message}` });
      return true;
    }
  }

  async function retry(): Promise<void> {
    timer = undefined;
    for (const callId of [...waiting]) {
      if (!(await attempt(callId, timeoutMs))) {
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        break;
      }
      waiting.delete(callId);
      pause = FIRST_PAUSE_MS;
    }
    schedule();
  }

  function schedule(): void {
    // Some runtimes, such as Workers, end a request's timers with the request: what is overdue never comes.
    if (waiting.size === 0 || (timer !== undefined && monotonic() < dueAt + OVERDUE_MS)) return;
    clearTimeout(timer);
    const pauseMs = pause * (0.8 + 0.4 * random());
    dueAt = monotonic() + pauseMs;
    timer = setTimeout(() => void retry(), pauseMs);
    // Unreferenced: a process that is done must not stay for this. Workers number their timers instead.
    if (typeof timer === "object") timer.unref();
  }

  return {
    async undo(callId): Promise<void> {
      if (await attempt(callId, Math.min(timeoutMs, FIRST_TRY_MS))) return schedule();
      if (waiting.size >= KEPT) {
        log.tellOnce("rollback", {
          level: "error",
          code: "rollback_failed",
          message: `${String(KEPT)} rollbacks wait for the core; further ones are dropped, and their subscriptions end by themselves when they expire.`,
        });
        return;
      }
      waiting.add(callId);
      schedule();
    },
  };
}
