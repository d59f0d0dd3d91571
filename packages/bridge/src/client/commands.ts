import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { WakeshiftError, redactSecrets } from "@wakeshift/protocol";
import type { ProgramName } from "@wakeshift/protocol";
import { readLock } from "../files/process-lock.ts";
import { bridgeHome, type BridgeHome } from "../home.ts";
import { readRegularFile, resolveHomeFolder } from "@wakeshift/programs/machine";
import type {
  EndAnswer,
  LastWake,
  ListedTicket,
  OccurrenceAnswer,
  SettingsAnswer,
  StatusAnswer,
  StopAnswer,
  SubscriptionsAnswer,
  TrustAnswer,
} from "../local-api.ts";
import { readHookRun } from "../state/hook-runs.ts";
import type { HookRun } from "../state/hook-runs.ts";
import { readLastWake } from "../state/last-wake.ts";
import { readTickets } from "../state/subscriptions.ts";
import { readLocalCores } from "../trust/local-cores.ts";
import { BridgeClient } from "./bridge-client.ts";
import type { LocalRequest } from "./local-request.ts";

/**
 * What the commands of `wakeshift` ask of the bridge. Each takes the environment whose `WAKESHIFT_HOME` counts, starts the
 * bridge where it has to, and rejects with a `WakeshiftError`: `unreachable` where no bridge can be had, else the code the
 * function names.
 */
const ANSWER_MS = 10_000;
const STOP_MS = 10_000;
/** For how long a bridge may have begun without listening. */
const BEGIN_MS = 8_000;
const RETRY_MS = 40;
const LOG_TAIL_BYTES = 16_384;

/** The bridge's state, or `undefined` where none runs. Starts none. */
export function readStatus(env: NodeJS.ProcessEnv = process.env): Promise<StatusAnswer | undefined> {
  return askRunning<StatusAnswer>(env, { method: "GET", path: "/v1/status", timeoutMs: ANSWER_MS });
}

/** The newest wake that reached a conversation of this machine, told from what the bridge left on disk. */
export function lastWake(env: NodeJS.ProcessEnv = process.env): LastWake | undefined {
  return readLastWake(homeOf(env).wakes);
}

/** The last thing the bridge of this machine logged as failed, if that is the end of its log; else "". */
export function lastBridgeFault(env: NodeJS.ProcessEnv = process.env): string {
  const last = readRegularFile(homeOf(env).log, LOG_TAIL_BYTES)?.toString("utf8").trim().split("\n").at(-1) ?? "";
  try {
    const { level, msg, detail } = JSON.parse(last) as Readonly<Record<string, unknown>>;
    if (typeof level !== "number" || level < 50) return "";
    const [reason = ""] = (typeof detail === "string" ? detail : "").split("\n");
    return redactSecrets(`${String(msg)}${reason === "" ? "" : `: ${reason}`}`).slice(0, 300);
  } catch {
    // A worker that couldn't even start wrote no JSON.
    return redactSecrets(last).slice(0, 300);
  }
}

/** When a program of this machine last ran a hook of ours, `undefined` if that was never recorded. */
export function lastHookRun(program: ProgramName, env: NodeJS.ProcessEnv = process.env): HookRun | undefined {
  return readHookRun(homeOf(env).hookRuns, program);
}

/** Whether a conversation of this machine has something subscribed or pending, told from what the bridge left on disk. */
export function isAnythingSubscribed(env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    return readdirSync(homeOf(env).live).length > 0;
  } catch {
    return false;
  }
}

/** A subscription of this machine, as far as it can be told without a bridge. */
export type KeptSubscription = Pick<ListedTicket, "id" | "program" | "expires_at">;

/** What this machine's conversations are subscribed to, asked of the bridge that runs, else read from what it left on disk. Starts none. */
export async function keptSubscriptions(env: NodeJS.ProcessEnv = process.env): Promise<readonly KeptSubscription[]> {
  try {
    const request = { method: "GET", path: "/v1/subscriptions", timeoutMs: ANSWER_MS } as const;
    return (await clientOf(env).ask<SubscriptionsAnswer>(request)).subscriptions;
  } catch (error) {
    if (!WakeshiftError.isInstance(error) || error.code !== "unreachable") throw error;
  }
  const now = Date.now();
  const live = readTickets(homeOf(env).tickets)
    .current()
    .filter((ticket) => ticket.expiresAt > now);
  return live.map(({ id, program, expiresAt }) => ({ id, program, expires_at: new Date(expiresAt).toISOString() }));
}

/** The origins of the cores that `dev` or `serve` started on this machine, running or not. */
export function listLocalCores(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  return readLocalCores(homeOf(env).localCores);
}

/** Starts the bridge where none runs, and answers its state. */
export function startBridge(env: NodeJS.ProcessEnv = process.env): Promise<StatusAnswer> {
  return clientOf(env).askStarting({ method: "GET", path: "/v1/status", timeoutMs: ANSWER_MS });
}

/** Starts the bridge where none runs. true: this call started it, and it goes on running in the background. */
export async function ensureBridge(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  let started = false;
  const client = new BridgeClient({ home: homeOf(env), env, onStart: () => (started = true) });
  await client.askStarting({ method: "GET", path: "/v1/status", timeoutMs: ANSWER_MS });
  return started;
}

/** Stops the bridge and its supervisor. false: none ran. */
export async function stopBridge(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const home = homeOf(env);
  const answer = await askRunning<StopAnswer>(env, { method: "POST", path: "/v1/stop", timeoutMs: ANSWER_MS });
  if (answer === undefined) return false;
  const deadline = performance.now() + STOP_MS;
  while (readLock(home.workerLock) !== undefined || readLock(home.supervisorLock) !== undefined) {
    if (performance.now() > deadline) throw new WakeshiftError("unreachable", "The bridge was told to stop but still runs.");
    await pause(30);
  }
  return true;
}

/** What this machine's conversations are subscribed to. */
export function listSubscriptions(env: NodeJS.ProcessEnv = process.env): Promise<SubscriptionsAnswer> {
  return clientOf(env).askStarting({ method: "GET", path: "/v1/subscriptions", timeoutMs: ANSWER_MS });
}

/**
 * Ends one subscription, here and at its core.
 *
 * @throws WakeshiftError `unknown_subscription`
 */
export function endSubscription(id: string, env: NodeJS.ProcessEnv = process.env): Promise<EndAnswer> {
  return post(env, "/v1/end", { id });
}

/**
 * Lets a core, or one app of it, by id or name, wake this machine's conversations.
 *
 * @throws WakeshiftError `bad_request` for an address that is not valid, or an app that isn't known.
 */
export function allowOrigin(origin: string, app?: string, env: NodeJS.ProcessEnv = process.env): Promise<TrustAnswer> {
  return post(env, "/v1/allow", app === undefined ? { origin } : { origin, app });
}

/**
 * Refuses a core, or one app of it, by id or name. What is subscribed there is kept, muted.
 *
 * @throws WakeshiftError `bad_request` for an address that is not valid, or an app that isn't known.
 */
export function denyOrigin(origin: string, app?: string, env: NodeJS.ProcessEnv = process.env): Promise<TrustAnswer> {
  return post(env, "/v1/deny", app === undefined ? { origin } : { origin, app });
}

/**
 * An occurrence this machine received, whole.
 *
 * @throws WakeshiftError `bad_request` (404) for one it doesn't hold.
 */
export function showOccurrence(id: string, env: NodeJS.ProcessEnv = process.env): Promise<OccurrenceAnswer> {
  return clientOf(env).askStarting({ method: "GET", path: `/v1/occurrences/${encodeURIComponent(id)}`, timeoutMs: ANSWER_MS });
}

/**
 * Changes one setting and answers all of them.
 *
 * @throws WakeshiftError `bad_request` for an unknown key or a value out of range.
 */
export function changeSetting(key: string, value: string, env: NodeJS.ProcessEnv = process.env): Promise<SettingsAnswer> {
  return post(env, "/v1/set", { key, value });
}

function post<T>(env: NodeJS.ProcessEnv, path: string, body: unknown): Promise<T> {
  return clientOf(env).askStarting<T>({ method: "POST", path, body, timeoutMs: ANSWER_MS });
}

/** The answer of the bridge that runs, or `undefined` where none does. One that has begun and doesn't listen yet is waited for. */
async function askRunning<T>(env: NodeJS.ProcessEnv, request: LocalRequest): Promise<T | undefined> {
  const deadline = performance.now() + BEGIN_MS;
  for (;;) {
    try {
      return await clientOf(env).ask<T>(request);
    } catch (error) {
      if (!WakeshiftError.isInstance(error) || error.code !== "unreachable") throw error;
      if (readLock(homeOf(env).workerLock) === undefined) return undefined;
      if (performance.now() > deadline) throw error;
      await pause(RETRY_MS);
    }
  }
}

function clientOf(env: NodeJS.ProcessEnv): BridgeClient {
  return new BridgeClient({ home: homeOf(env), env });
}

function homeOf(env: NodeJS.ProcessEnv): BridgeHome {
  return bridgeHome(resolveHomeFolder(env));
}
