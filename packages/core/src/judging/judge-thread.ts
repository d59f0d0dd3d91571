import { Worker } from "node:worker_threads";
import type { Judged, JudgeJob } from "../engine/schema/judge-checks.ts";

interface Asked {
  readonly resolve: (judged: Judged) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that should have broken off by then hangs where it can't be interrupted: it is ended. */
const HANGS_MS = 5_000;
const LIMITS = { maxOldGenerationSizeMb: 128 };

/** One thread that checks values. Begins with its first job, and afresh after it was ended. */
export class JudgeThread {
  #worker: Worker | undefined;
  #asked: Asked | undefined;

  /** Runs one job; the next one only after it. @throws Error where the thread ends, as one that runs out of memory does */
  async judge(job: JudgeJob): Promise<Judged> {
    const worker = (this.#worker ??= this.#begin());
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      void worker.terminate();
    }, job.budgetMs + HANGS_MS);
    worker.ref();
    try {
      return await new Promise<Judged>((resolve, reject) => {
        this.#asked = { resolve, reject };
        worker.postMessage(job);
      });
    } catch (error) {
      if (hangs) return { judgements: [], tookMs: job.budgetMs + HANGS_MS };
      throw error;
    } finally {
      clearTimeout(timer);
      worker.unref();
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./judge-worker.js", import.meta.url), { resourceLimits: LIMITS });
    worker.on("message", (judged: Judged) => this.#asked?.resolve(judged));
    worker.on("error", (error: Error) => this.#asked?.reject(error));
    worker.once("exit", () => {
      this.#worker = undefined;
      this.#asked?.reject(new Error("the thread that checks values has ended"));
    });
    return worker;
  }
}
