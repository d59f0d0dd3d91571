import { WakeshiftError } from "@wakeshift/protocol";
import { endSubscription } from "@wakeshift/bridge";
import type { Output } from "../output.ts";
import { useBridge } from "../show/use-bridge.ts";

/**
 * Ends one subscription of this machine.
 *
 * @throws WakeshiftError `unknown_subscription` where this machine has none of that id.
 */
export async function end(id: string, output: Output): Promise<undefined> {
  await useBridge(output);
  const answer = await endSubscription(id);
  if (answer.ended === 0)
    throw new WakeshiftError("unknown_subscription", `This machine has no subscription ${id}. \`wakeshift list\` shows those it has.`);
  output.show(answer, `Ended ${id}.`);
  return undefined;
}
