import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BridgeHome } from "../home.ts";
import { replaceFileNow } from "@wakeshift/programs/machine";
import { assertOwnFolder } from "../files/private-folder.ts";
import type { ReportRequest } from "../local-api.ts";
import { LiveMarkers } from "../state/live-markers.ts";

/**
 * Leaves a report for the next bridge, where none could be had: a ticket must not be lost to a bad moment. On disk when this
 * returns.
 *
 * @returns the file, which goes away once a bridge has taken it.
 */
export function spoolReport(home: BridgeHome, { can_notice: _, ...report }: ReportRequest): string {
  assertOwnFolder(home.folder);
  mkdirSync(home.spool, { recursive: true, mode: 0o700 });
  const path = join(home.spool, `${String(Date.now()).padStart(15, "0")}-${randomBytes(6).toString("hex")}.json`);
  // Whoever reads it from there can show nothing, so a notice waits for a hook that can.
  replaceFileNow(path, JSON.stringify(report));
  // So that the conversation's next hook asks for a bridge, which then finds the report.
  new LiveMarkers(home.live).set(report.program, report.conversation, true);
  return path;
}
