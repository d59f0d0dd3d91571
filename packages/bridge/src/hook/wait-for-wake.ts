import { setTimeout as pause } from "node:timers/promises";
import type { ProgramName } from "@wakeshift/protocol";
import type { BridgeClient } from "../client/bridge-client.ts";
import type { TakeAnswer, TakeRequest } from "../local-api.ts";
import type { HandedWake } from "@wakeshift/programs";

export interface WaitOptions {
  readonly client: BridgeClient;
  readonly program: ProgramName;
  readonly conversation: string;
  readonly taker: string;
  readonly pid: number | undefined;
  readonly unattended: boolean;
  readonly maxMs: number;
  /** Whether anything is subscribed or pending, asked before the bridge is. */
  readonly isLive: () => boolean;
  /** Wait for that too, instead of leaving. */
  readonly untilSubscribed: boolean;
  readonly signal: AbortSignal;
  readonly onFault: (error: unknown) => void;
}

const POLL_MS = 25_000;
const ANSWER_MS = 40_000;
const LOOK_MS = 300;
const AFTER_FAULT_MS = 2_000;

/** Waits for one wake, across restarts of the bridge. `undefined`: nothing came and the waiter is to leave. */
export async function waitForWake(options: WaitOptions): Promise<HandedWake | undefined> {
  const startedAt = performance.now();
  const { client, signal } = options;
  while (!signal.aborted && performance.now() - startedAt < options.maxMs) {
    if (!options.isLive()) {
      if (!options.untilSubscribed) return undefined;
      await rest(LOOK_MS, signal);
      continue;
    }
    const waited = performance.now() - startedAt;
    const body: TakeRequest = {
      program: options.program,
      conversation: options.conversation,
      taker: options.taker,
      ...(options.pid === undefined ? {} : { pid: options.pid }),
      unattended: options.unattended,
      wait_ms: Math.max(0, Math.min(POLL_MS, Math.round(options.maxMs - waited))),
      waited_ms: waited,
    };
    try {
      const answer = await client.askStarting<TakeAnswer>({ method: "POST", path: "/v1/take", body, timeoutMs: ANSWER_MS, signal });
      if (answer.wake !== null) return answer.wake;
      if (answer.leave === true) {
        // Nothing is subscribed any more, or another waits: who is to wait until something is subscribed goes on.
        if (!options.untilSubscribed || options.isLive()) return undefined;
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      options.onFault(error);
      await rest(AFTER_FAULT_MS, signal);
    }
  }
  return undefined;
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
}
