import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ReportRequest } from "../local-api.ts";
import { reportSchema } from "./local-requests.ts";

const MOST_AT_ONCE = 50;

/** Hands over the reports that hooks left because no bridge answered, oldest first. Each is removed before it is handed. */
export function takeSpooledReports(
  folder: string,
  hand: (report: ReportRequest) => Promise<unknown>,
  refuse: (detail: string) => void,
): void {
  let names: string[];
  try {
    names = readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .slice(0, MOST_AT_ONCE);
  } catch {
    // No hook has ever needed the folder.
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    try {
      const parsed = reportSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
      rmSync(path, { force: true });
      if (parsed.success) void hand(parsed.data).catch((error: unknown) => refuse(error instanceof Error ? error.message : "fault"));
      else refuse("not a report");
    } catch (error) {
      rmSync(path, { force: true });
      refuse(error instanceof Error ? error.message.slice(0, 120) : "fault");
    }
  }
}
