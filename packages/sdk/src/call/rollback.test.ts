import { WakeshiftError } from "@wakeshift/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AppClient } from "../client/app-client.ts";
import { LogBook } from "../log/log-book.ts";
import { createRollback } from "./rollback.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([true, false])(
  "a retry whose timer the runtime ended with its request is made up for by the next failed call (core still away: %s)",
  async (stillAway) => {
    let isAway = true;
    let elapsed = 0;
    const undone: unknown[] = [];
    const send: AppClient["send"] = (_method, _path, body) => {
      if (isAway) return Promise.reject(new WakeshiftError("unreachable", "away", { retryable: true }));
      undone.push((body as { readonly call_id: string }).call_id);
      return Promise.resolve({});
    };
    const client: AppClient = { send, watcher: undefined };
    const options = { client, log: new LogBook(() => undefined), timeoutMs: 1_000, monotonic: () => elapsed, random: () => 0.5 };
    const rollback = createRollback(options);
    await rollback.undo("call-1");
    vi.clearAllTimers();
    elapsed += 10_000;
    isAway = stillAway;
    await rollback.undo("call-2");
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([...undone].sort()).toEqual(["call-1", "call-2"]);
  },
);
