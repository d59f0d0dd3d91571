import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { BridgeHome } from "../home.ts";
import { isProcessAlive } from "@wakeshift/programs/machine";
import { makePrivateFolder } from "../files/private-folder.ts";
import { BoundedLog } from "../files/bounded-log.ts";
import { ProcessLock, readLock } from "../files/process-lock.ts";
import { spawnWorker } from "../spawn-process.ts";
import { WORKER_EXIT } from "./worker-exit.ts";

const LOG_BYTES = 2_097_152;
const LOOK_MS = 300;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_500;
/** A worker that ran so long is no failed start. */
const STARTED_MS = 10_000;

/** How a supervisor's run ended. */
export type SupervisorEnd = "stopped" | "already_runs";

/**
 * Keeps one worker running until it is told to stop: a worker that dies is back within two seconds, however often. One
 * that an earlier supervisor left behind is watched, not replaced.
 */
export async function superviseBridge(home: BridgeHome, env: NodeJS.ProcessEnv): Promise<SupervisorEnd> {
  makePrivateFolder(home.folder);
  const lock = ProcessLock.acquire(home.supervisorLock);
  if (lock === undefined) return "already_runs";
  const supervisor = new Supervisor(home, env, lock);
  process.on("SIGTERM", () => supervisor.stop());
  process.on("SIGINT", () => supervisor.stop());
  try {
    await supervisor.run();
  } finally {
    lock.release();
  }
  return "stopped";
}

class Supervisor {
  readonly #home: BridgeHome;
  readonly #env: NodeJS.ProcessEnv;
  readonly #lock: ProcessLock;
  readonly #log: BoundedLog;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;

  constructor(home: BridgeHome, env: NodeJS.ProcessEnv, lock: ProcessLock) {
    this.#home = home;
    this.#env = env;
    this.#lock = lock;
    this.#log = new BoundedLog(home.log, LOG_BYTES);
  }

  stop(): void {
    this.#stopping.abort();
    const adopted = this.#child === undefined ? readLock(this.#home.workerLock)?.pid : undefined;
    this.#child?.kill("SIGTERM");
    if (adopted !== undefined) terminate(adopted);
  }

  async run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted && this.#lock.isHeld()) {
      const other = readLock(this.#home.workerLock);
      if (other !== undefined) {
        await this.#watchOther(other.pid, other.tag);
        continue;
      }
      const startedAt = performance.now();
      const code = await this.#runWorker();
      if (code === WORKER_EXIT.stopped || this.#stopping.signal.aborted) return;
      failures = performance.now() - startedAt > STARTED_MS ? 0 : failures + 1;
      if (code !== WORKER_EXIT.alreadyRuns) this.#say("the worker ended and is started again", { code });
      await this.#pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 5)));
    }
    if (!this.#lock.isHeld()) this.#child?.kill("SIGTERM");
  }

  #runWorker(): Promise<number | null> {
    const child = spawnWorker(this.#home, this.#env);
    this.#child = child;
    child.stderr?.on("data", (chunk: Buffer) => this.#log.write(chunk.toString("utf8").slice(0, 8_192)));
    // The lock may vanish with its folder while the worker runs.
    const guard = setInterval(() => {
      if (!this.#lock.isHeld()) child.kill("SIGTERM");
    }, 1_000);
    return new Promise((resolve) => {
      const done = (code: number | null): void => {
        clearInterval(guard);
        this.#child = undefined;
        resolve(code);
      };
      child.once("error", (error) => {
        this.#say("the worker can't be started", { detail: error.message });
        done(WORKER_EXIT.fault);
      });
      child.once("exit", (code) => done(code));
    });
  }

  async #watchOther(pid: number, tag: string | undefined): Promise<void> {
    while (isProcessAlive(pid, tag) && readLock(this.#home.workerLock)?.pid === pid && this.#lock.isHeld()) {
      await this.#pause(LOOK_MS);
      if (this.#stopping.signal.aborted) return;
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #say(message: string, facts: Readonly<Record<string, unknown>>): void {
    this.#log.write(JSON.stringify({ level: 50, time: Date.now(), pid: process.pid, ...facts, msg: message }));
  }
}

function terminate(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It ended by itself.
  }
}
