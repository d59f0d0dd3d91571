import type { HookRun } from "@wakeshift/bridge";
import type { Check } from "@wakeshift/programs/setup";
import { ownCommand } from "@wakeshift/programs/machine";
import type { ProgramName } from "@wakeshift/protocol";
import { describeAgo } from "../show/describe-ago.ts";

/** What is known of a program's hooks from what ran. Times are milliseconds of the wall clock. */
export interface HookEvidence {
  /** The last hook of ours that the program ran. */
  readonly run: HookRun | undefined;
  /** When set-up changed its settings. */
  readonly setUpAt: number | undefined;
  /** When the program's own records last changed by a turn. */
  readonly lastTurn: number | undefined;
  readonly now: number;
}

/** A turn's first hook may run only at its end. */
const TURN_MS = 5_000;

/**
 * Whether the program ran a hook of ours since it was set up. If it took a turn since and ran none, its hooks don't work, whatever
 * the settings say. If it took none, nothing has proven them yet, which is not a failure.
 */
export function checkHookRun(program: ProgramName, { run, setUpAt, lastTurn, now }: HookEvidence): Check {
  const line = (ok: boolean, detail: string, fix: string): Check => ({ program, check: "hook ran", ok, detail, fix });
  if (run !== undefined && (setUpAt === undefined || Date.parse(run.at) >= setUpAt))
    return line(true, `last ${describeAgo(now - Date.parse(run.at))}: ${run.event}, version ${run.version}`, "");
  const since = setUpAt === undefined ? "" : ` since it was set up ${describeAgo(now - setUpAt)}`;
  if (setUpAt !== undefined && lastTurn !== undefined && lastTurn > setUpAt && now - lastTurn > TURN_MS) {
    const detail = `${program} took a turn ${describeAgo(now - lastTurn)}, but no hook of Wakeshift ran${since}: it has been running since before, or its hooks are off`;
    return line(
      false,
      detail,
      `end every ${program} that is open and start it again; then, in the folder where it runs: ${ownCommand(["doctor"])}`,
    );
  }
  return line(
    true,
    `none yet${since}, so nothing has proven its hooks`,
    `start ${program} again, let it take a turn, then: ${ownCommand(["doctor"])}`,
  );
}
