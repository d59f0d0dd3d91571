import { createTwoFilesPatch } from "diff";
import type { FileChange, SettingsPlan, SettingsStep } from "@wakeshift/programs/setup";
import { describeFailure } from "../output.ts";

/** Every line that a plan would change, file by file, and then step by step, with what the program itself would write. */
export async function describeDiff(plan: SettingsPlan): Promise<string> {
  const steps: string[] = [];
  for (const step of plan.steps) steps.push(`then: ${step.description}`, ...(await describePreview(step)));
  return [...plan.files.map(describeChange), ...steps].join("\n");
}

async function describePreview(step: SettingsStep): Promise<readonly string[]> {
  try {
    return ((await step.preview?.()) ?? []).map(describeChange);
  } catch (error) {
    return [`(the lines it would write can't be shown: ${describeFailure(error).message})`];
  }
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
