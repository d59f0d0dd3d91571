import { join } from "node:path";
import type { HandedWake } from "../../program/program.ts";
import { readRegularFile } from "../../machine/read-regular-file.ts";

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Whether Codex's durable queue (`queue_1.sqlite` and its log) has taken this wake in. Looked for is the frame's own naming of
 * occurrence and subscription: another thread of this home may have been handed the same occurrence. The bytes are searched,
 * without a database library: a row that was taken out again may still be found, which is as good a proof that the
 * message was handed over. Not finding one proves nothing.
 */
export function queueHolds(codexHome: string, wake: Pick<HandedWake, "occurrences" | "subscriptions">): boolean {
  const bytes = ["queue_1.sqlite", "queue_1.sqlite-wal"].map((name) => readRegularFile(join(codexHome, name), MOST_BYTES));
  const isThere = (name: string): boolean => bytes.some((one) => one?.includes(name) === true);
  const isHeld = (occurrence: string, place: number): boolean => {
    const subscriptions = wake.subscriptions?.[place];
    return (subscriptions ?? [""]).some((subscription) => isThere(`, occurrence ${occurrence}, subscription ${subscription}`));
  };
  return wake.occurrences.length > 0 && wake.occurrences.every(isHeld);
}
