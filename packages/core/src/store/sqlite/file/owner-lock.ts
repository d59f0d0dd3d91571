import { WakeshiftError } from "@wakeshift/protocol";
import { openPrivateFile } from "./open-private-file.ts";
import { isBusy, openingFailure } from "./storage-failure.ts";

/**
 * Makes this process the only core on a database file; the returned function gives it up.
 *
 * Leases, used assertions and route waiters live in the owner's memory, so a second core on the same file would hand
 * wakes out twice. The lock is an open exclusive transaction on a file beside the database: it works on every
 * platform, and the operating system drops it with the process, however that ends. Processes that only make keys
 * don't take it.
 * @throws WakeshiftError `already_running` when another core has it.
 */
export function lockAsOwner(path: string): () => void {
  const lock = openPrivateFile(`${path}.owner`, 0);
  try {
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw openingFailure(error, `${path}.owner`);
    throw new WakeshiftError(
      "already_running",
      `Another Wakeshift core is running on ${path}. Stop that one first, or run this one beside it, with a folder (--data) and a port (--port) of its own.`,
    );
  }
  return () => lock.close();
}
