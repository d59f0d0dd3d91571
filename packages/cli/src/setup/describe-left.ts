import type { KeptSubscription } from "@wakeshift/bridge";
import { PROGRAM_REGISTRY } from "@wakeshift/programs";
import { ownCommand } from "@wakeshift/programs/machine";
import type { ProgramName } from "@wakeshift/protocol";

/** What a removal leaves: a program's subscriptions, what becomes of them, and the command that ends them. "" where there are none. */
export function describeLeft(name: ProgramName, left: readonly KeptSubscription[]): string {
  const last = left
    .map((one) => one.expires_at)
    .sort()
    .at(-1);
  if (last === undefined) return "";
  const one = left.length === 1;
  const isPushed = PROGRAM_REGISTRY.some((program) => program.name === name && program.delivery === "pushed");
  const until = isPushed
    ? "Until then the bridge still wakes those of them that are open."
    : `Until then their wakes wait; a process of ${name} that was running before this may still take them.`;
  return [
    `  ${String(left.length)} ${one ? "subscription" : "subscriptions"} of ${name} conversations ${one ? "remains" : "remain"} (\`${ownCommand(["list"])}\`): taking out the settings ends none.`,
    `  ${one ? "It ends" : "They end"} by ${one ? "itself" : "themselves"}${one ? "" : ", the last"} on ${last}. ${until}`,
    `  To end ${one ? "it" : "them"} now: ${ownCommand(["end", "--program", name])}`,
  ].join("\n");
}
