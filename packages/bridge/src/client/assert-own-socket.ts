import { lstatSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import { assertOwnFolder, statsOf } from "../files/private-folder.ts";
import type { BridgeHome } from "../home.ts";

/** Others may write to the folder. */
const OTHERS_WRITE = 0o022;

/**
 * Checks who may have put the bridge's socket there, before a ticket is sent to it or a word from it is believed: its folder is this
 * user's own and nobody else can write to it. A bridge that starts takes such rights away, so they count as a bridge that isn't there.
 *
 * @throws WakeshiftError `internal` if the folder or the socket isn't this user's; `unreachable` if others may write to the folder
 */
export function assertOwnSocket(home: BridgeHome): void {
  assertOwnFolder(home.folder);
  const folder = home.socketFolder === undefined ? assertOwnFolder(home.folder) : assertOwnFolder(home.socketFolder, false);
  if (folder === undefined) return;
  if ((folder.mode & OTHERS_WRITE) !== 0) {
    throw new WakeshiftError("unreachable", `Others may write to ${home.socketFolder ?? home.folder}, so what listens there isn't asked.`);
  }
  const socket = statsOf(lstatSync, home.socket);
  if (socket !== undefined && (socket.isSymbolicLink() || socket.uid !== process.getuid?.())) {
    throw new WakeshiftError("internal", `${home.socket} is a link or another user's. Remove it.`, { retryable: false });
  }
}
