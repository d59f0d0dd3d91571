import { parseDuration } from "@wakeshift/protocol";
import { bridgeHome, resolveHomeFolder } from "../home.ts";
import { PROGRAM_REGISTRY } from "../programs/index.ts";
import { runWorker } from "./worker.ts";

// A parent that has gone closes this pipe; that is no reason to end.
process.stderr.on("error", () => undefined);
await runWorker(bridgeHome(resolveHomeFolder(process.env)), PROGRAM_REGISTRY, process.env, takerLease(process.env["WAKESHIFT_TAKER_LEASE"]));

/** For slow programs, and for tests that can't wait half a minute. A value that is no duration counts as none. */
function takerLease(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    return Math.max(100, parseDuration(text));
  } catch {
    return undefined;
  }
}
