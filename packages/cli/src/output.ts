import { WakeshiftError, redactSecrets } from "@wakeshift/protocol";

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

/** An {@link Output} on this process's stdout. */
export function createOutput(json: boolean): Output {
  return {
    json,
    show: (data, text) => {
      process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
    },
    note: (text) => {
      if (!json) process.stdout.write(`${text}\n`);
    },
    aside: (text) => {
      if (!json) process.stderr.write(`${text}\n`);
    },
  };
}

/** One line for a failure: the sentence and its code. Never a stack, never a secret. */
export function describeFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (WakeshiftError.isInstance(error)) return { code: error.code, message: redactSecrets(error.message) };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: redactSecrets(message) };
}

/** Prints a failure: to stderr for people, as `{"error": …}` on stdout with `--json`. */
export function printFailure(error: unknown, json: boolean): void {
  const failure = describeFailure(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: failure })}\n`);
  else process.stderr.write(`wakeshift: ${failure.message} (${failure.code})\n`);
}
