import { setTimeout as pause } from "node:timers/promises";
import { WakeshiftError } from "@wakeshift/protocol";
import { spawnSupervisor } from "../spawn-process.ts";
import { readLock } from "../files/process-lock.ts";
import { makeWritableFolder } from "../files/writable-folder.ts";
import type { BridgeHome } from "../home.ts";
import { proxyHeaderOf } from "../proxy-variables.ts";
import type { LocalRequest } from "./local-request.ts";
import { requestLocally } from "./local-request.ts";

const RETRY_MS = 40;
const START_AGAIN_MS = 1_500;

export interface BridgeClientOptions {
  readonly home: BridgeHome;
  readonly env: NodeJS.ProcessEnv;
  /** How long to wait for a bridge that has to be started, in milliseconds. @defaultValue 8,000 */
  readonly startMs?: number;
  /** Called each time this client starts a bridge. */
  readonly onStart?: () => void;
}

/** Talks to the bridge of this user, and starts it when it doesn't run. */
export class BridgeClient {
  readonly #home: BridgeHome;
  readonly #env: NodeJS.ProcessEnv;
  readonly #startMs: number;
  readonly #onStart: (() => void) | undefined;

  constructor(options: BridgeClientOptions) {
    this.#home = options.home;
    this.#env = options.env;
    this.#startMs = options.startMs ?? 8_000;
    this.#onStart = options.onStart;
  }

  /**
   * Asks the bridge that runs, and no other.
   *
   * @throws WakeshiftError `unreachable`
   */
  ask<T>(request: LocalRequest): Promise<T> {
    return requestLocally(this.#home, { ...request, headers: proxyHeaderOf(this.#env) }) as Promise<T>;
  }

  /**
   * Asks the bridge; starts it first where none runs. Every request may be repeated, so one that a dying bridge took with
   * it is asked again.
   *
   * @throws WakeshiftError `unreachable` where no bridge answers in time; `bad_request` where its folder can't be written to; else
   * the bridge's own code.
   */
  async askStarting<T>(request: LocalRequest): Promise<T> {
    const deadline = performance.now() + this.#startMs;
    let startedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      try {
        return await this.ask<T>(request);
      } catch (error) {
        if (!WakeshiftError.isInstance(error) || error.code !== "unreachable" || request.signal?.aborted === true) throw error;
        if (performance.now() >= deadline) throw error;
        if (performance.now() - startedAt > START_AGAIN_MS && readLock(this.#home.supervisorLock) === undefined) {
          startedAt = performance.now();
          // Where no bridge could start, nobody is kept waiting for one.
          makeWritableFolder(this.#home.folder);
          spawnSupervisor(this.#home, this.#env);
          this.#onStart?.();
        }
        await pause(RETRY_MS);
      }
    }
  }
}
