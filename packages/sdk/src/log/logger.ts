import { cleanLine } from "@wakeshift/protocol";

/** How bad it is. `error`: something the author wrote can't work. `warn`: something isn't as asked for. */
export type LogLevel = "warn" | "error";

/** One thing worth telling the author. Match on `code`; `message` is a sentence for people and may change. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly code: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Where log entries go. */
export type Logger = (entry: LogEntry) => void;

/**
 * Writes one line an entry to stderr: stdout belongs to the protocol on a stdio server. Words of a core or user can't steer
 * the terminal. A line that nobody reads any more is lost;
 * without a listener on the stream it would end the author's process.
 */
export function logToStderr(entry: LogEntry): void {
  const { stderr } = process;
  if (!stderr.listeners("error").includes(ignore)) stderr.on("error", ignore);
  stderr.write(`[wakeshift] ${cleanLine(`${entry.level} ${entry.code}: ${entry.message}`)}\n`);
}

function ignore(): void {
  // Nothing is left to say it to.
}
