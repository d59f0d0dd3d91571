import { readStatus, type StatusAnswer } from "@wakeshift/bridge";
import { formatStatus } from "../show/format-status.ts";
import type { Output } from "../output.ts";

/** Prints what the bridge is connected to, what waits, and where it stands. A bridge that doesn't run is an answer, not a failure. */
export async function status(output: Output): Promise<undefined> {
  const answer: StatusAnswer | undefined = await readStatus();
  if (answer === undefined) {
    output.show(
      { running: false },
      "The bridge isn't running. A hook starts it when a conversation subscribes; `wakeshift bridge` starts it now.",
    );
    return undefined;
  }
  output.show({ running: true, ...answer }, formatStatus(answer));
  return undefined;
}
