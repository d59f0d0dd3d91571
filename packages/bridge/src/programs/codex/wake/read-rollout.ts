import { closeSync, fstatSync, openSync, readSync } from "node:fs";
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
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const size = fstatSync(file).size;
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, Math.max(0, size - TAIL_BYTES));
    return bytes.subarray(0, read).toString("utf8");
  } finally {
    closeSync(file);
  }
}
