import { WakeshiftError, cleanLine, cleanText, escapeHidden, redactSecrets } from "@wakeshift/protocol";

/** How a command speaks: text for people, or one JSON document on stdout for programs. */
export interface Output {
  readonly json: boolean;
  /** Prints `data` with `--json`, else `text`. */
  show(data: unknown, text: string): void;
  /** Something for the person only; silent with `--json`. */
  note(text: string): void;
  /** Something beside the answer, for the person only: on stderr, so that stdout holds the answer alone. Silent with `--json`. */
  aside(text: string): void;
}

/** An {@link Output} on this process's stdout. Nothing printed steers the terminal, whoever wrote it. */
export function createOutput(json: boolean): Output {
  return {
    json,
    show: (data, text) => {
      process.stdout.write(`${json ? jsonLine(data) : cleanText(text)}\n`);
    },
    note: (text) => {
      if (!json) process.stdout.write(`${cleanText(text)}\n`);
    },
    aside: (text) => {
      if (!json) process.stderr.write(`${cleanText(text)}\n`);
    },
  };
}

/** One line for a failure: the sentence and its code. Never a stack, never a secret. */
export function describeFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (WakeshiftError.isInstance(error)) return { code: error.code, message: cleanLine(redactSecrets(error.message)) };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: cleanLine(redactSecrets(message)) };
}

/** Prints a failure: to stderr for people, as `{"error": …}` on stdout with `--json`. */
export function printFailure(error: unknown, json: boolean): void {
  const failure = describeFailure(error);
  if (json) process.stdout.write(`${jsonLine({ error: failure })}\n`);
  else process.stderr.write(`wakeshift: ${failure.message} (${failure.code})\n`);
}

/** `JSON.stringify` leaves characters alone that steer a terminal. */
function jsonLine(data: unknown): string {
  return escapeHidden(JSON.stringify(data));
}
