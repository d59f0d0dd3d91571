import { isAnythingSubscribed, lastWake, readStatus, type StatusAnswer } from "@wakeshift/bridge";
import { describeAbsence, describeLastWake, formatStatus } from "../show/format-status.ts";
import type { Output } from "../output.ts";

/** Prints what the bridge is connected to, what waits, and where it stands. A bridge that doesn't run is an answer, not a failure. */
export async function status(output: Output): Promise<undefined> {
  const answer: StatusAnswer | undefined = await readStatus();
  const now = Date.now();
  if (answer === undefined) {
    const last = lastWake();
    output.show(
      { running: false, ...(last === undefined ? {} : { last_wake: last }) },
      `${describeAbsence(isAnythingSubscribed())}\n${describeLastWake(last, now)}`,
    );
    return undefined;
  }
  output.show({ running: true, ...answer }, formatStatus(answer, now));
  return undefined;
}
