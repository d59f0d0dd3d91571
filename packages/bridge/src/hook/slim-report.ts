import { LIMITS, SUBSCRIPTION_META_KEY } from "@wakeshift/protocol";
import type { HookReport, ToolResult } from "@wakeshift/programs";

/** The report with nothing in its results but what the bridge reads: results may be megabytes, and none of its business. */
export function slimReport(report: HookReport): HookReport {
  return { ...report, results: report.results.flatMap(slimResult) };
}

function slimResult(result: ToolResult): readonly ToolResult[] {
  const { meta, tool } = result;
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, SUBSCRIPTION_META_KEY)) return [];
  const value = (meta as Record<string, unknown>)[SUBSCRIPTION_META_KEY];
  // One more than is taken, so that the surplus is counted as refused.
  const kept = Array.isArray(value) ? value.slice(0, LIMITS.metaEntries + 1) : value;
  return [{ tool, meta: { [SUBSCRIPTION_META_KEY]: kept } }];
}
