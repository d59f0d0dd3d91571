import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReportRequest } from "../local-api.ts";

/** Leaves a report for the next bridge, where none could be had: a ticket must not be lost to a bad moment. */
export function spoolReport(folder: string, report: ReportRequest): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${String(Date.now()).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
  writeFileSync(join(folder, `${name}.tmp`), JSON.stringify(report), { mode: 0o600, flag: "wx" });
  renameSync(join(folder, `${name}.tmp`), join(folder, `${name}.json`));
}
