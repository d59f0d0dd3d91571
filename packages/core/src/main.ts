import { WakeshiftError } from "@wakeshift/protocol";
import { readConfig } from "./config.ts";
import { startCore } from "./core.ts";

/** Runs a core as a process of its own, set up by the environment. SIGTERM and SIGINT end it in order. */
try {
  const core = await startCore(readConfig(process.env));
  process.stdout.write(`${JSON.stringify({ url: core.url, port: core.port })}\n`);
  const leave = (): void => void core.close();
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
} catch (error) {
  process.stderr.write(`wakeshift core: ${WakeshiftError.isInstance(error) ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
