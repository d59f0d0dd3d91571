import { readRegularFile } from "../../machine/read-regular-file.ts";
import type { HandedWake } from "../../program/program.ts";
import { newestTurnTrigger, turnsHold } from "./rollout.ts";

const TAIL_BYTES = 8 * 1024 * 1024;

/** Whether the thread's rollout file shows every occurrence of a wake in a turn's input. */
export function rolloutShows(path: string, wake: Pick<HandedWake, "occurrences" | "subscriptions">): boolean {
  return wake.occurrences.length > 0 && turnsHold(readTail(path), wake);
}

/** Whether the thread's newest turn belongs to a run without a person. */
export function isNewestTurnExec(path: string): boolean {
  return newestTurnTrigger(readTail(path)) === "exec";
}

function readTail(path: string): string {
  return readRegularFile(path, TAIL_BYTES)?.toString("utf8") ?? "";
}
