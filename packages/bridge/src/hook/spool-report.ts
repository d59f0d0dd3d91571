import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BridgeHome } from "../home.ts";
import type { ReportRequest } from "../local-api.ts";
import { LiveMarkers } from "../state/live-markers.ts";

/** Leaves a report for the next bridge, where none could be had: a ticket must not be lost to a bad moment. */
export function spoolReport(home: BridgeHome, report: ReportRequest): void {
  mkdirSync(home.spool, { recursive: true, mode: 0o700 });
  const name = `${String(Date.now()).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
  writeFileSync(join(home.spool, `${name}.tmp`), JSON.stringify(report), { mode: 0o600, flag: "wx" });
  renameSync(join(home.spool, `${name}.tmp`), join(home.spool, `${name}.json`));
  // So that the conversation's next hook asks for a bridge, which then finds the report.
  new LiveMarkers(home.live).set(report.program, report.conversation, true);
}
