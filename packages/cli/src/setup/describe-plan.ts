import { createTwoFilesPatch } from "diff";
import type { FileChange, SettingsPlan } from "@wakeshift/bridge";

/** What a plan would do, as a person reads it before saying yes: each file's change, then the steps. */
export function describePlan(plan: SettingsPlan): string {
  return [...plan.files.map(describeChange), ...plan.steps.map((step) => `then: ${step.description}`)].join("\n");
}

function describeChange(change: FileChange): string {
  if (change.before === undefined) return `new file ${change.path}\n${indent(change.after ?? "", "+ ")}`;
  if (change.after === undefined) return `remove ${change.path}`;
  const patch = createTwoFilesPatch(change.path, change.path, change.before, change.after, "", "", { context: 2 });
  // The first four lines name the file twice; one heading says it.
  return `change ${change.path}\n${patch.split("\n").slice(4).join("\n").trimEnd()}`;
}

/** Settings are shown whole, since a person says yes to every line of them; only a program file is longer than this. */
const LINES_SHOWN = 150;

function indent(text: string, mark: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, LINES_SHOWN).map((line) => mark + line);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `  … ${String(rest)} more lines`].join("\n") : shown.join("\n");
}
