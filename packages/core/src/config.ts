import { WakeshiftError } from "@wakeshift/protocol";
import type { CoreOptions } from "./core-options.ts";
import type { LogLevel } from "./logger.ts";

/** The environment as the core reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const EMITS_PER_SECOND = 1_000;
const BURST_SECONDS = 5;

/**
 * Reads a core's options from the environment. The only place of the core that does.
 *
 * - `WAKESHIFT_DATABASE_URL`: path of the SQLite file (also as a `file:` URL). No default: where it lies otherwise is for the
 *   program that starts the core to say, and `databasePath` is left out.
 * - `WAKESHIFT_PUBLIC_URL`: the URL under which others reach this core.
 * - `WAKESHIFT_ADMIN_TOKEN`: opens the admin API to whoever has it, at least 16 characters.
 * - `WAKESHIFT_LOG_LEVEL`: `debug`, `info` (default), `warn`, `error`, `silent`.
 * - `WAKESHIFT_EMITS_PER_SECOND`: what one app may emit, 1,000 by default, `0` for no limit.
 * - `WAKESHIFT_OCCURRENCES_PER_APP`: how many occurrences of one app are kept, `0` (default) for any number.
 * - `WAKESHIFT_TRUSTED_PROXIES`: addresses and CIDR ranges, with commas between, whose `X-Forwarded-For` is believed.
 * - `WAKESHIFT_HOST`, `WAKESHIFT_PORT`: where it listens, 127.0.0.1 and 4870 by default.
 *
 * @throws WakeshiftError `bad_request` naming the variable; `unsupported` for a `postgres://` URL
 */
export function readConfig(env: Environment): CoreOptions {
  const database = env["WAKESHIFT_DATABASE_URL"];
  const publicUrl = env["WAKESHIFT_PUBLIC_URL"];
  const adminToken = env["WAKESHIFT_ADMIN_TOKEN"];
  const proxies = (env["WAKESHIFT_TRUSTED_PROXIES"] ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const occurrencesPerApp = countOf("WAKESHIFT_OCCURRENCES_PER_APP", env["WAKESHIFT_OCCURRENCES_PER_APP"]);
  const emitRate = emitRateOf(env["WAKESHIFT_EMITS_PER_SECOND"]);
  return {
    host: env["WAKESHIFT_HOST"] ?? "127.0.0.1",
    port: portOf(env["WAKESHIFT_PORT"]),
    logLevel: logLevelOf(env["WAKESHIFT_LOG_LEVEL"]),
    ...(database === undefined || database === "" ? {} : { databasePath: database }),
    ...(publicUrl === undefined || publicUrl === "" ? {} : { publicUrl }),
    ...(adminToken === undefined || adminToken === "" ? {} : { adminToken }),
    ...(proxies.length === 0 ? {} : { trustedProxies: proxies }),
    ...(occurrencesPerApp === 0 ? {} : { occurrencesPerApp }),
    ...(emitRate === undefined ? {} : { emitRate }),
  };
}

function portOf(text: string | undefined): number {
  const port = text === undefined || text === "" ? 4_870 : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new WakeshiftError("bad_request", "WAKESHIFT_PORT must be a port, 0 to 65535.");
  return port;
}

function logLevelOf(text: string | undefined): LogLevel {
  if (text === undefined || text === "") return "info";
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) throw new WakeshiftError("bad_request", `WAKESHIFT_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}

function countOf(name: string, text: string | undefined): number {
  const count = text === undefined || text === "" ? 0 : Number(text);
  if (!Number.isSafeInteger(count) || count < 0) throw new WakeshiftError("bad_request", `${name} must be a whole number, 0 for no limit.`);
  return count;
}

function emitRateOf(text: string | undefined): CoreOptions["emitRate"] {
  const perSecond = text === undefined || text === "" ? EMITS_PER_SECOND : Number(text);
  if (!Number.isFinite(perSecond) || perSecond < 0)
    throw new WakeshiftError("bad_request", "WAKESHIFT_EMITS_PER_SECOND must be a number, 0 for no limit.");
  return perSecond === 0 ? undefined : { perSecond, burst: perSecond * BURST_SECONDS };
}
