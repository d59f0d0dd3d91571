import { parseCoreUrl, WakeshiftError } from "@wakeshift/protocol";
import type { CoreRequest, CoreFetch } from "./client/fetch.ts";
import type { Logger } from "./log/logger.ts";
import { logToStderr } from "./log/logger.ts";
import { assertOptions } from "./options/assert-options.ts";
import type { OptionNames } from "./options/assert-options.ts";

/** How a `Wakeshift` is made. */
export interface WakeshiftOptions {
  /** The app key, `wst_…`. @defaultValue the environment's `WAKESHIFT_KEY` */
  readonly key?: string;
  /** The core's URL; http only on loopback. @defaultValue the environment's `WAKESHIFT_CORE`, else `http://127.0.0.1:4870` */
  readonly core?: string;
  /** Takes log entries. @defaultValue one line each on stderr */
  readonly logger?: Logger;
  /**
   * How long a request to the core may take in all, milliseconds, and how long `identify` and a list of your tools are waited for.
   * Longer keeps calls waiting when one of them is away. @defaultValue 5000
   */
  readonly timeoutMs?: number;
  /** Sends the requests to the core: through a proxy, or to a core for tests. @defaultValue the runtime's `fetch` */
  readonly fetch?: CoreFetch;
}

/** Options with everything filled in. */
export interface ResolvedWakeshiftOptions {
  /** Absent: calls to the core fail with `no_key`. */
  readonly key: string | undefined;
  readonly core: string;
  readonly logger: Logger;
  readonly timeoutMs: number;
  readonly fetch: CoreFetch;
}

const NAMES: OptionNames<WakeshiftOptions> = { key: true, core: true, logger: true, timeoutMs: true, fetch: true };
const DEFAULT_CORE = "http://127.0.0.1:4870";
const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_TIMEOUT_MS = 600_000;

/** The only reader of the environment. @throws WakeshiftError `bad_request` */
export function resolveWakeshiftOptions(
  options: WakeshiftOptions,
  env: Readonly<Record<string, string | undefined>>,
): ResolvedWakeshiftOptions {
  assertOptions(options, NAMES, "new Wakeshift()");
  const { timeoutMs = DEFAULT_TIMEOUT_MS, logger = logToStderr, fetch = fetchOfRuntime } = options;
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0 || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw new WakeshiftError("bad_request", "timeoutMs must be milliseconds between 1 and 600,000.");
  }
  if (typeof logger !== "function") throw new WakeshiftError("bad_request", "logger must be a function that takes one log entry.");
  if (typeof fetch !== "function")
    throw new WakeshiftError("bad_request", "fetch must be a function that sends one request, as the runtime's does.");
  return {
    key: nonEmpty(options.key) ?? nonEmpty(env["WAKESHIFT_KEY"]),
    core: parseCoreUrl(nonEmpty(options.core) ?? nonEmpty(env["WAKESHIFT_CORE"]) ?? DEFAULT_CORE).base,
    logger,
    timeoutMs,
    fetch,
  };
}

/** Looked up at each request: some runtimes and tests put another in its place later. */
function fetchOfRuntime(url: string, request: CoreRequest): Promise<Response> {
  return globalThis.fetch(url, request);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
