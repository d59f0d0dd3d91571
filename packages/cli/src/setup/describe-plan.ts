import { diffLines } from "diff";
import type { FileChange, SettingsPlan } from "@wakeshift/programs/setup";

/** What a plan would do, short enough to be judged before saying yes: each file with its size, what is added, the steps. */
export function describePlan(plan: SettingsPlan): string {
  return [
    ...plan.files.map(describeChange),
    ...(plan.purpose === "" ? [] : [`adds ${plan.purpose}`]),
    ...plan.steps.map((step) => `then: ${step.description}`),
  ]
    .map((line) => `  ${line}`)
    .join("\n");
}

function describeChange({ path, before, after }: FileChange): string {
  if (before === undefined) return `new file ${path} (${lines(countLines(after ?? ""))})`;
  if (after === undefined) return `remove ${path} (${lines(countLines(before))})`;
  const parts = diffLines(before, after);
  const count = (kind: "added" | "removed"): number => parts.reduce((sum, part) => sum + (part[kind] ? part.count : 0), 0);
  return `change ${path} (${lines(count("added"))} added, ${String(count("removed"))} removed)`;
}

const countLines = (text: string): number => text.replace(/\n$/, "").split("\n").length;

const lines = (count: number): string => `${String(count)} ${count === 1 ? "line" : "lines"}`;
