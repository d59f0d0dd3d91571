import { escapeHidden, redactSecrets } from "@wakeshift/protocol";
import { pino } from "pino";

/** Where the core tells what it does. Facts first, then a sentence, as pino takes them. */
export interface CoreLogger {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Takes lines of JSON, each with its newline. */
export interface LogDestination {
  write(line: string): unknown;
}

/**
 * A logger that writes a line of JSON for each entry, by default to stderr, with everything that looks like one of Wakeshift's
 * secrets taken out of it, and what would steer a terminal as escapes.
 */
export function createLogger(level: LogLevel, destination: LogDestination = stderr()): CoreLogger {
  const redacting = { write: (line: string): void => void destination.write(escapeHidden(redactSecrets(line))) };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    redacting,
  );
}

const nothing = (): void => undefined;

/** A line that nobody reads any more must not end the process: without a listener, Node throws. */
function stderr(): LogDestination {
  if (!process.stderr.listeners("error").includes(nothing)) process.stderr.on("error", nothing);
  return process.stderr;
}
