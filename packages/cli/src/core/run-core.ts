import { startCore, type CoreOptions, type RunningCore } from "@wakeshift/core";

/** Starts a core in this process and resolves once it was told to stop and has ended. */
export async function runCore(options: CoreOptions, ready: (core: RunningCore) => Promise<void> | void): Promise<void> {
  const core = await startCore(options);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
  try {
    await ready(core);
    await stopped;
  } finally {
    await core.close();
  }
}
