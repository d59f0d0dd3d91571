import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Whether Codex's durable queue (`queue_1.sqlite` and its log) has taken these occurrences in. The bytes are searched,
 * without a database library: a row that was taken out again may still be found, which is as good a proof that the
 * message was handed over. Not finding one proves nothing.
 */
export function queueHolds(codexHome: string, occurrences: readonly string[]): boolean {
  const bytes = ["queue_1.sqlite", "queue_1.sqlite-wal"].map((name) => readBytes(join(codexHome, name)));
  return occurrences.length > 0 && occurrences.every((id) => bytes.some((one) => one.includes(id)));
}

function readBytes(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, MOST_BYTES));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
