import { WakeshiftError } from "@wakeshift/protocol";
import type { Call } from "../call/call.ts";

/** What a handler gets whose tool isn't wrapped, since its schema names one of Wakeshift's arguments. */
export function noCall(tool: string): Call {
  const refuse = (): Promise<never> => {
    const refused = Promise.reject<never>(
      new WakeshiftError(
        "no_call",
        `${tool} can't subscribe: it isn't wrapped, because its own schema names one of Wakeshift's arguments. Rename it.`,
      ),
    );
    // Marks the rejection as seen, as a running call does: one that nobody awaits must not end the process.
    refused.catch(() => undefined);
    return refused;
  };
  return { subscribe: refuse, unsubscribe: refuse };
}
