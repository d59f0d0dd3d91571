import { createTwoFilesPatch } from "diff";
import type { FileChange, SettingsPlan } from "@wakeshift/bridge";

/** Every line that a plan would change, file by file. */
export function describeDiff(plan: SettingsPlan): string {
  return plan.files.map(describeChange).join("\n");
}

function describeChange(change: FileChange): string {
  if (change.before === undefined) return `new file ${change.path}\n${marked(change.after ?? "", "+")}`;
  if (change.after === undefined) return `remove ${change.path}\n${marked(change.before, "-")}`;
  const patch = createTwoFilesPatch(change.path, change.path, change.before, change.after, "", "", { context: 2 });
  // The first four lines name the file twice; one heading says it.
  return `change ${change.path}\n${patch.split("\n").slice(4).join("\n").trimEnd()}`;
}

function marked(text: string, mark: string): string {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => mark + line)
    .join("\n");
}
