import { startCore, type CoreOptions, type RunningCore } from "@wakeshift/core";
import { onNpmShellGone } from "./npm-shell.ts";
import { describeLogLine } from "../show/describe-log-line.ts";

/** Starts a core in this process and resolves once it was told to stop and has ended. */
export async function runCore(options: CoreOptions, ready: (core: RunningCore) => Promise<void> | void): Promise<void> {
  const { stderr } = process;
  // A person at a terminal reads sentences; whatever collects logs reads JSON.
  const logDestination = stderr.isTTY ? { write: (line: string): void => void stderr.write(describeLogLine(line)) } : stderr;
  const core = await startCore({ logDestination, ...options });
  let stopLooking = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
    stopLooking = onNpmShellGone(process.env, resolve);
  });
  try {
    await ready(core);
    await stopped;
  } finally {
    stopLooking();
    await core.close();
  }
}
