import { join } from "node:path";
import { readRegularFile } from "../../../files/read-regular-file.ts";

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Whether Codex's durable queue (`queue_1.sqlite` and its log) has taken these occurrences in. The bytes are searched,
 * without a database library: a row that was taken out again may still be found, which is as good a proof that the
 * message was handed over. Not finding one proves nothing.
 */
export function queueHolds(codexHome: string, occurrences: readonly string[]): boolean {
  const bytes = ["queue_1.sqlite", "queue_1.sqlite-wal"].map((name) => readRegularFile(join(codexHome, name), MOST_BYTES));
  return occurrences.length > 0 && occurrences.every((id) => bytes.some((one) => one?.includes(id) === true));
}
