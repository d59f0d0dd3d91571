import { readRegularFile } from "../../../files/read-regular-file.ts";
import { newestTurnTrigger, occurrencesInTurns } from "../hook/rollout.ts";

const TAIL_BYTES = 8 * 1024 * 1024;

/** Whether every one of these occurrences stands in a turn's input, by the thread's rollout file. */
export function rolloutShows(path: string, occurrences: readonly string[]): boolean {
  const tail = readTail(path);
  return occurrences.length > 0 && occurrencesInTurns(tail, occurrences).length === occurrences.length;
}

/** Whether the thread's newest turn belongs to a run without a person. */
export function isNewestTurnExec(path: string): boolean {
  return newestTurnTrigger(readTail(path)) === "exec";
}

function readTail(path: string): string {
  return readRegularFile(path, TAIL_BYTES)?.toString("utf8") ?? "";
}
