import { rmSync } from "node:fs";
import { WakeshiftError } from "@wakeshift/protocol";
import type { BridgeClient } from "../client/bridge-client.ts";
import type { LocalRequest } from "../client/local-request.ts";
import type { BridgeHome } from "../home.ts";
import type { ReportAnswer, ReportRequest } from "../local-api.ts";
import { spoolReport } from "./spool-report.ts";

export interface HandingReport {
  readonly client: BridgeClient;
  readonly home: BridgeHome;
  readonly onFault: (error: unknown) => void;
}

const ANSWER_MS = 5_000;

/**
 * Tells the bridge, which is started where none runs. A report with results is on disk before anything is waited for: starting
 * a bridge takes seconds on a busy machine, and the program may end its hook, or itself, at any moment of them.
 *
 * @throws WakeshiftError where no bridge took it. It then lies on disk for the next one, unless the disk is full.
 */
export async function handReport(parts: HandingReport, report: ReportRequest): Promise<ReportAnswer> {
  const { client } = parts;
  const request: LocalRequest = { method: "POST", path: "/v1/report", body: report, timeoutMs: ANSWER_MS };
  if (report.results.length === 0) return await client.askStarting<ReportAnswer>(request);
  let spooled: string | undefined;
  try {
    return await client.ask<ReportAnswer>(request);
  } catch (error) {
    spooled = spool(parts, report);
    if (!WakeshiftError.isInstance(error) || error.code !== "unreachable") throw error;
  }
  const answer = await client.askStarting<ReportAnswer>(request);
  // The bridge may have taken it from there first; twice is no harm.
  if (spooled !== undefined) rmSync(spooled, { force: true });
  return answer;
}

/** A full disk takes no report either: the bridge holds it in memory then, and what the hook does besides goes on. */
function spool({ home, onFault }: HandingReport, report: ReportRequest): string | undefined {
  try {
    return spoolReport(home, report);
  } catch (error) {
    onFault(error);
    return undefined;
  }
}
