import type { SubscriptionMetaEntry } from "@wakeshift/protocol";
import { onTestFinished } from "vitest";
import { systemClock } from "../clock.ts";
import { commandRunner } from "../command-runner.ts";
import type { ReportRequest } from "../local-api.ts";
import { ticketIdOf } from "../state/ticket-book.ts";
import { Bridge } from "./bridge.ts";
import type { BridgeOptions } from "./bridge.ts";

/** A running bridge that is closed when the running test ends. It looks often, so that no test waits long. */
export function openBridge(options: Pick<BridgeOptions, "home"> & Partial<BridgeOptions>): Bridge {
  const bridge = new Bridge({
    programs: [],
    runner: commandRunner,
    clock: systemClock,
    random: () => 0,
    log: () => undefined,
    version: "0",
    supervisor: () => 0,
    tickMs: 50,
    ...options,
  });
  bridge.start();
  onTestFinished(() => bridge.close());
  return bridge;
}

/** The entry of the subscription `sub_1`, good for an hour. */
export function entryOf(core: string, ticket: string): SubscriptionMetaEntry {
  return {
    v: 1,
    core,
    ticket,
    id: "sub_1",
    event: "a.b",
    arguments: {},
    once: false,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    tool: "t",
    app: { id: "app_1", name: "A" },
  };
}

/** The results of one call that handed over this entry. */
export const resultsOf = (entry: object): ReportRequest["results"] => [{ tool: "t", meta: { "ai.wakeshift/subscription": [entry] } }];

/** What a hook reports of that call, in the middle of a turn of Codex. */
export function reportOf(entry: object): ReportRequest {
  return { program: "codex", conversation: "c", lifecycle: "working", unattended: false, results: resultsOf(entry) };
}

/** A wake as the core streams it. */
export function wakeOf(ticket: string, id: string, occurrence: string): Record<string, unknown> {
  const timestamp = new Date().toISOString();
  return {
    subscription: id,
    ticket_id: ticketIdOf(ticket),
    occurrence,
    seq: 1,
    event: "a.b",
    app: { id: "app_1", name: "A" },
    arguments: {},
    text: occurrence,
    payload: {},
    timestamp,
    once: false,
    lease_ms: 30_000,
  };
}
