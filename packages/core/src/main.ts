import { cleanLine, WakeshiftError } from "@wakeshift/protocol";
import { readConfig } from "./config.ts";
import { startCore } from "./core.ts";

/**
 * Runs a core as a process of its own, set up by the environment, `WAKESHIFT_DATABASE_URL` at least. SIGTERM and SIGINT end it
 * in order.
 */
try {
  const config = readConfig(process.env);
  if (config.databasePath === undefined)
    throw new WakeshiftError(
      "bad_request",
      "WAKESHIFT_DATABASE_URL isn't set, so there is no place for the data. Set it to the path of the database file, or start the core with `npx wakeshift serve`, which has a place of its own.",
    );
  const core = await startCore(config);
  // Its reader may be gone after this line, or before.
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${JSON.stringify({ url: core.url, port: core.port })}\n`);
  const leave = (): void => void core.close();
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
} catch (error) {
  process.stderr.write(`wakeshift core: ${cleanLine(WakeshiftError.isInstance(error) ? error.message : String(error))}\n`);
  process.exitCode = 1;
}
