import type { StatusAnswer } from "@wakeshift/bridge";
import { cleanLine } from "@wakeshift/protocol";

/** What to do about a subscription that was refused for the name of its tool. */
export const RENAME = "have whatever is between keep the tool's name, behind a prefix that ends in _, -, ., / or :";

/** A refused subscription with both names, in one line. */
export function describeRefusedTool({ program, called, named }: NonNullable<StatusAnswer["refused_tools"]>[number]): string {
  return cleanLine(`a subscription of tool ${named} was refused: ${program} got it from a tool called ${called}`);
}
