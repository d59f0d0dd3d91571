import { availableParallelism } from "node:os";
import { WakeshiftError } from "@wakeshift/protocol";
import type { Judged, JudgeJob } from "../engine/schema/judge-checks.ts";
import { JudgeThread } from "./judge-thread.ts";

interface Waiting {
  readonly job: () => JudgeJob | undefined;
  readonly resolve: (judged: Judged | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_THREADS = 4;

/**
 * Threads that check values against schemas which may take long, so that the event loop never does.
 *
 * Apps take turns, one job of each at a time: whoever sends many that take long waits for itself.
 */
export class JudgePool {
  /** By app. Which comes first is the next one to have its turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();
  readonly #threads = Array.from({ length: Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)) }, () => new JudgeThread());
  readonly #free = [...this.#threads];
  #closed = false;

  /** @param job - makes the job once its turn has come. `undefined`: it isn't wanted any more, which is what this then gives. */
  run(appId: string, job: () => JudgeJob | undefined): Promise<Judged | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(appId);
      if (waiting === undefined) this.#waiting.set(appId, [{ job, resolve, reject }]);
      else waiting.push({ job, resolve, reject });
      this.#startNext();
    });
  }

  /** Ends the threads; what still waits is given up. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of [...this.#waiting.values()].flat()) reject(goingDown());
    this.#waiting.clear();
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #startNext(): void {
    for (const [appId, waiting] of this.#waiting) {
      const thread = this.#free.at(-1);
      if (thread === undefined) return;
      if (this.#busy.has(appId)) continue;
      this.#waiting.delete(appId);
      const next = waiting.shift();
      if (waiting.length > 0) this.#waiting.set(appId, waiting);
      if (next === undefined) continue;
      this.#free.pop();
      void this.#start(thread, appId, next);
    }
  }

  async #start(thread: JudgeThread, appId: string, { job, resolve, reject }: Waiting): Promise<void> {
    this.#busy.add(appId);
    try {
      const made = job();
      resolve(made === undefined ? undefined : await this.#judge(thread, made));
    } catch (error) {
      reject(error);
    } finally {
      this.#busy.delete(appId);
      this.#free.push(thread);
      if (!this.#closed) this.#startNext();
    }
  }

  async #judge(thread: JudgeThread, job: JudgeJob): Promise<Judged> {
    try {
      return await thread.judge(job);
    } catch {
      if (this.#closed) throw goingDown();
      // It ran out of memory, maybe by what other jobs left there. If it does so afresh, too, that is this job's doing.
      return await thread.judge(job).catch(() => ({ judgements: [], tookMs: job.budgetMs }));
    }
  }
}

function goingDown(): WakeshiftError {
  return new WakeshiftError("unreachable", "The core is going down. Try again later.");
}
