import { lastWake, ownCommand, readStatus, type StatusAnswer } from "@wakeshift/bridge";
import { describeLastWake, formatStatus } from "../show/format-status.ts";
import type { Output } from "../output.ts";

/** Prints what the bridge is connected to, what waits, and where it stands. A bridge that doesn't run is an answer, not a failure. */
export async function status(output: Output): Promise<undefined> {
  const answer: StatusAnswer | undefined = await readStatus();
  const now = Date.now();
  if (answer === undefined) {
    const last = lastWake();
    output.show(
      { running: false, ...(last === undefined ? {} : { last_wake: last }) },
      `The bridge isn't running. A hook starts it when a conversation subscribes; \`${ownCommand(["bridge", "--start"])}\` starts it now.\n${describeLastWake(last, now)}`,
    );
    return undefined;
  }
  output.show({ running: true, ...answer }, formatStatus(answer, now));
  return undefined;
}
