import { cleanLine } from "@wakeshift/protocol";
import type { RunResult } from "./runner.ts";

const SHOWN_CHARACTERS = 200;

/** Why a program's command can't be used, as half a sentence: that it isn't there, or how it ended and what it said last. */
export function describeRun(command: string, args: readonly string[], result: RunResult): string {
  if (result.missing === true) return `no command \`${command}\` on the PATH`;
  const how = result.timedOut
    ? "took too long"
    : result.exitCode === null
      ? "can't be run"
      : result.exitCode === 0
        ? "printed no version"
        : `exited with ${String(result.exitCode)}`;
  const said = cleanLine((result.stderr.trim() || result.stdout.trim()).split("\n").at(-1) ?? "").slice(0, SHOWN_CHARACTERS);
  return `\`${[command, ...args].join(" ")}\` ${how}${said === "" ? "" : `: ${said}`}`;
}
