import { WakeshiftError } from "@wakeshift/protocol";
import type { Call } from "../call/call.ts";
import type { LogBook } from "../log/log-book.ts";

/** What a handler gets that runs as no call: subscribing by it is refused, which the log says once for each tool. */
export function noCall(tool: string, log: LogBook): Call {
  const refuse = (): Promise<never> => {
    const message = `${tool} can't subscribe here: either its own schema names one of Wakeshift's arguments (rename it), or its handler was run outside a tools/call, or on a signal that several calls share.`;
    log.tellOnce(tool, { level: "warn", code: "no_call", tool, message });
    const refused = Promise.reject<never>(new WakeshiftError("no_call", message));
    // Marks the rejection as seen, as a running call does: one that nobody awaits must not end the process.
    refused.catch(() => undefined);
    return refused;
  };
  return { subscribe: refuse, unsubscribe: refuse };
}
