/** How set-up, or a removal, of one program came out. */
export interface SetupOutcome {
  readonly program: string;
  readonly result: "done" | "nothing to change" | "repaired" | "declined" | "not found" | "shown" | "failed" | "stopped";
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** Why the program can't be woken although it is set up, and what fixes it. Empty where it can. */
  readonly warnings: readonly string[];
  /** What was broken and works again. Absent: nothing was. */
  readonly repaired?: string;
  /** With `--diff`: every line that would be changed. */
  readonly diff?: string;
  /** With `--remove`: how many subscriptions of the program's conversations this machine still has. */
  readonly subscriptions_left?: number;
  /** With `failed`: why. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** One line for the end where several programs were asked for and not all went well: what became of each. "" where all did. */
export function describeOutcomes(outcomes: readonly SetupOutcome[]): string {
  const failed = outcomes.filter((one) => one.result === "failed").map((one) => one.program);
  if (outcomes.length < 2 || failed.length === 0) return "";
  const others = outcomes.filter((one) => one.result !== "failed").map((one) => `${one.program}: ${one.result}`);
  return [
    `Failed, for the reason above: ${failed.join(", ")}.`,
    ...(others.length === 0 ? [] : [`The others: ${others.join(", ")}.`]),
  ].join(" ");
}
