import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bridgeHome,
  type BridgeHome,
  type OutcomeAnswer,
  readStatus,
  registerLocalCore,
  type ReportAnswer,
  type ReportRequest,
  startBridge,
  type StatusAnswer,
  stopBridge,
  type TakeAnswer,
  type TakeRequest,
} from "@wakeshift/bridge";
import { onTestFinished } from "vitest";
import type { CoreWorld, Subscribed } from "../core-support/core-world.ts";
import { localJson } from "./local-json.ts";

/** A bridge of one test: real processes on a folder of their own. Its conversations are those of a program without hooks. */
export interface BridgeWorld {
  readonly home: BridgeHome;
  readonly env: NodeJS.ProcessEnv;
  call<T>(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: T }>;
  status(): Promise<StatusAnswer>;
  /** Reports a subscription as the hook of its conversation would. */
  report(subscribed: readonly Subscribed[], changes?: Partial<ReportRequest>): Promise<ReportAnswer>;
  take(changes?: Partial<TakeRequest>): Promise<TakeAnswer>;
  outcome(delivery: string, state: "handed" | "seen" | "failed" | "not_now"): Promise<OutcomeAnswer>;
}

export const CONVERSATION = "conversation-1";

export interface BridgeWorldOptions {
  /** Its origin is allowed, as of a core started here. */
  readonly core?: CoreWorld;
  /** Doesn't start the processes. */
  readonly idle?: boolean;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes a home, starts its bridge, and stops it when the test is over. */
export async function startBridgeWorld(options: BridgeWorldOptions = {}): Promise<BridgeWorld> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "wakeshift-bridge-"));
  const env = { ...process.env, WAKESHIFT_HOME: folder, ...options.env };
  const home = bridgeHome(folder);
  onTestFinished(async () => {
    await stopBridge(env).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    if (home.socketFolder !== undefined) rmSync(home.socketFolder, { recursive: true, force: true });
  });
  if (options.core !== undefined) registerLocalCore(folder, options.core.url);
  if (options.idle !== true) await startBridge(env);
  const call: BridgeWorld["call"] = (method, path, body) => localJson(home.socket, method, path, body);
  const well = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    home,
    env,
    call,
    status: async () => {
      const status = await readStatus(env);
      if (status === undefined) throw new Error("no bridge runs");
      return status;
    },
    report: (subscribed, changes = {}) => well("POST", "/v1/report", { ...reportOf(subscribed), ...changes }),
    take: (changes = {}) =>
      well("POST", "/v1/take", {
        program: "cursor",
        conversation: CONVERSATION,
        taker: "taker-1",
        unattended: false,
        wait_ms: 15_000,
        ...changes,
      }),
    outcome: (delivery, state) => well("POST", "/v1/outcome", { delivery, state }),
  };
}

/** What the hook of the subscribing call reports. */
export function reportOf(subscribed: readonly Subscribed[]): ReportRequest {
  return {
    program: "cursor",
    conversation: CONVERSATION,
    lifecycle: "working",
    unattended: false,
    results: subscribed.map((one) => ({ tool: "start_crawl", meta: one.body.addition.meta })),
  };
}

/** Waits until it holds, looking every few milliseconds. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
